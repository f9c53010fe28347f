#pragma once
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

}  // namespace glassbox
