#pragma once
#include <cstdint>

#include <glassbox/layers/feed_forward.h>
#include <glassbox/layers/layer_norm.h>
#include <glassbox/layers/linear.h>
#include <glassbox/layers/mask.h>
#include <glassbox/layers/pooling.h>

// The parts of a Transformer by themselves, as people write them first. The models call the same functions;
// here the input has a name, too.
namespace glassbox {

namespace steps::softmax {
inline constexpr const char* layer = "softmax";
inline constexpr StepInfo x{layer, "x", "", "A row of scores for each position."};
inline constexpr StepInfo softmax{layer, "softmax", "softmax({0})",
                                  "Each row becomes probabilities: exp of each score, divided by their sum."};
}  // namespace steps::softmax

namespace steps::log_softmax {
inline constexpr const char* layer = "log_softmax";
inline constexpr StepInfo x = steps::softmax::x.of(layer);
inline constexpr StepInfo output{layer, "log_softmax", "{0} − ln Σ exp({0})",
                                 "The logarithms of the probabilities, without computing these."};
}  // namespace steps::log_softmax

namespace steps::linear {
inline constexpr const char* layer = "linear";
inline constexpr StepInfo x{layer, "x", "", "The input: one position per row."};
inline constexpr StepInfo output{layer, "output", "x Wᵀ{2? + b}",
                                 "Each output is a weighted sum of the inputs, with weights of its own."};
}  // namespace steps::linear

namespace steps::layer_norm {
inline constexpr const char* layer = "layer_norm";
inline constexpr StepInfo x = steps::linear::x.of(layer);
inline constexpr StepInfo output{layer, "output", "(x − E[x]) / √(Var[x] + ε) ∘ γ + β",
                                 "Each position normalised to mean 0 and variance 1, then γ and β."};
}  // namespace steps::layer_norm

namespace steps::feed_forward {
inline constexpr const char* formula = "FFN(x) = activation(x W_1ᵀ + b_1) W_2ᵀ + b_2";
inline constexpr StepInfo x = steps::linear::x.of(layer);
}  // namespace steps::feed_forward

namespace steps::pooling {
inline constexpr StepInfo x{layer, "x", "", "A row for each position, the last ones perhaps padding."};
}  // namespace steps::pooling

namespace steps::dropout {
inline constexpr const char* layer = "dropout";
inline constexpr StepInfo x = steps::linear::x.of(layer);
inline constexpr StepInfo kept{layer, "kept", "", "1 where a number stays, 0 where it is dropped: drawn."};
inline constexpr StepInfo output{layer, "output", "x ∘ kept / (1 − p)",
                                 "What stays is scaled up, so that on average nothing changes."};
}  // namespace steps::dropout

// x ∘ kept / (1 − p) for places that are given, of x's shape; glassbox::dropout draws them by itself
// (Srivastava et al. 2014). Throws Error for p outside [0, 1) and other shapes.
Tensor dropped(const Tensor& x, const Tensor& kept, double p);
// The places that dropout() keeps first under this seed.
Tensor kept_places(const Shape& shape, double p, std::uint64_t seed);

namespace steps::accumulation {
inline constexpr const char* layer = "accumulation";
inline constexpr StepInfo gradients{layer, "gradients", "",
                                    "∂L/∂w of each micro-batch, the mean over its examples: a row each."};
inline constexpr StepInfo left{layer, "left", "",
                               "The gradient of the step before, which has to be cleared (zero_grad)."};
inline constexpr StepInfo accumulated{
    layer, "accumulated", "Σ gradients / their number",
    "The gradient of all micro-batches as one batch; nothing of the step before is in it."};
}  // namespace steps::accumulation

// The mean of the rows: gradients (k, n) of micro-batches of one size; left (n) is what was there before.
Tensor accumulated(const Tensor& gradients, const Tensor& left);

}  // namespace glassbox
