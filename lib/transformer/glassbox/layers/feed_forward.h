#pragma once
#include <string_view>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/layers/linear.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::feed_forward {
inline constexpr const char* layer = "feed_forward";
inline constexpr StepInfo hidden{layer, "hidden", "x W_1ᵀ{2? + b_1}",
                                 "A wider layer, applied to each position separately."};
inline constexpr StepInfo relu{layer, "relu", "max(0, {0})", "Negative numbers become 0."};
inline constexpr StepInfo gelu{layer, "gelu", "{0} · Φ({0})", "Negative numbers shrink smoothly towards 0."};
inline constexpr StepInfo dropout = detail::dropout_step(layer, "dropout");
inline constexpr StepInfo output{layer, "output", "{0} W_2ᵀ{2? + b_2}", "Back to the width of the model."};
}  // namespace steps::feed_forward

// relu, gelu (in a convention the source's form of it) or gelu-tanh; other words are a UsageError that lists
// the names.
template <>
struct EnumWords<Activation> {
    static constexpr const char* what = "activation";
    static constexpr Word<Activation> all[] = {
        {Activation::relu, "relu"}, {Activation::gelu, "gelu"}, {Activation::gelu_tanh, "gelu-tanh"}};
};
[[nodiscard]] const char* name(Activation activation);  // "relu"; "gelu" for both gelu and gelu_tanh

struct FeedForwardConfig {
    index_t d_model = 512, d_ff = 2048;
    double dropout = 0.1;
    Activation activation = Activation::relu;
};

// FFN(x) = activation(x W₁ᵀ + b₁) W₂ᵀ + b₂, applied to each position separately (report §4; Vaswani et al.
// 2017, equation 2). x (…, d_model). Steps: hidden relu|gelu output; one fused op when nothing is recorded.
class FeedForward {
  public:
    FeedForward() = default;
    explicit FeedForward(const FeedForwardConfig& config);  // all parameters 0

    Tensor operator()(const Tensor& x) const;
    const FeedForwardConfig& config() const { return config_; }
    void parameters(Parameters& all) {
        all("0", first), all("3", second);
        all.choice("activation", name<Activation>(config_.activation));
    }

    Linear first;   // (d_ff, d_model)
    Linear second;  // (d_model, d_ff)

  private:
    FeedForwardConfig config_;
};

}  // namespace glassbox
