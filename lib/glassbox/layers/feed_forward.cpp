#include <glassbox/layers/feed_forward.h>

#include <glassbox/layers/dropped.h>
#include <glassbox/observe/observed.h>
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
    const bool drops = Dropping::current() && dropout_ > 0;
    if (!is_observed() && !drops)  // the same numbers, without (…, d_ff) of them in memory
        return fused_feed_forward(x, first.weight, first.bias, activation_, second.weight, second.bias);
    Tensor hidden = named(step::hidden, first(x));  // (…, d_ff)
    Tensor active = activation_ == Activation::relu
                        ? named(step::relu, relu(hidden))
                        : named(step::gelu, gelu(hidden, activation_));  // (…, d_ff)
    active = dropped(step::dropout, active, dropout_);
    return named(step::output, second(active));  // (…, d_model)
}

FeedForward::FeedForward(index_t d_model, index_t d_ff, double dropout, Activation activation,
                         const Convention& convention, Stream& stream)
    : first(make_linear(stream, d_model, d_ff, convention.init)),
      second(make_linear(stream, d_ff, d_model, convention.init)),
      dropout_(dropout),
      activation_(activation == Activation::gelu ? convention.gelu : activation) {
    if (activation == Activation::none) fail("feed_forward: an activation needed: relu or gelu");
}

Activation parse_activation(std::string_view text) {
    if (text == "relu") return Activation::relu;
    if (text == "gelu") return Activation::gelu;
    fail<UsageError>("activation: no activation '{}'; there are relu, gelu", text);
}

const char* name(Activation activation) {
    if (activation == Activation::none) return "none";
    return activation == Activation::relu ? "relu" : "gelu";
}

}  // namespace glassbox
