#include <glassbox/layers/feed_forward.h>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/observe/detail/observed.h>
#include <glassbox/ops/feed_forward.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::feed_forward;

// FFN(x) = max(0, x W₁ᵀ + b₁) W₂ᵀ + b₂
//
// No position looks at another here: what attention has gathered is worked on, row by row. The
// tutorials drop before the ReLU and the report behind it: max(0, ·) of a number times 0 or 1/(1 − p) is the
// same either way. GELU is not, and is dropped behind, as torch.nn does it.
Tensor FeedForward::operator()(const Tensor& x) const {
    const bool drops = Dropping::current() && config_.dropout > 0;
    if (!is_observed() && !drops)  // the same numbers, without (…, d_ff) of them in memory
        return fused_feed_forward(x, first.weight, first.bias, config_.activation, second.weight,
                                  second.bias);
    Tensor hidden = named(step::hidden, first(x));  // (…, d_ff)
    Tensor active = config_.activation == Activation::relu
                        ? named(step::relu, relu(hidden))
                        : named(step::gelu, gelu(hidden, config_.activation));  // (…, d_ff)
    active = dropped(step::dropout, active, config_.dropout);
    return named(step::output, second(active));  // (…, d_model)
}

FeedForward::FeedForward(const FeedForwardConfig& config)
    : first(Linear::zeros(config.d_model, config.d_ff)),
      second(Linear::zeros(config.d_ff, config.d_model)),
      config_(config) {
    if (config.activation == Activation::none) fail("feed_forward: an activation needed: relu or gelu");
}

const char* name(Activation activation) {
    if (activation == Activation::none) return "none";
    return name<Activation>(activation == Activation::gelu_tanh ? Activation::gelu : activation);
}

}  // namespace glassbox
