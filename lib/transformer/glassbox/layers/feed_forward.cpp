#include <glassbox/layers/feed_forward.h>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::feed_forward;

// FFN(x) = max(0, x W₁ᵀ + b₁) W₂ᵀ + b₂
//
// Each position is processed separately, row by row. The tutorials apply dropout before the ReLU and the
// report after it, which is the same, since max(0, ·) commutes with factors of 0 and 1/(1 − p). It is not the
// same for GELU: there dropout comes after, as in torch.nn.
Tensor FeedForward::operator()(const Tensor& x) const {
    const bool drops = DropoutScope::current() && config_.dropout > 0;
    if (!is_observed() && !drops)  // the same result without materialising the (…, d_ff) activations
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
    if (config.activation == Activation::none) fail("feed_forward: needs an activation, relu or gelu");
}

const char* name(Activation activation) {
    if (activation == Activation::none) return "none";
    return name<Activation>(activation == Activation::gelu_tanh ? Activation::gelu : activation);
}

}  // namespace glassbox
