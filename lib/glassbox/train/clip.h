#pragma once
#include <glassbox/backend/clipping.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::clip {
inline constexpr const char* layer = "clip";
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w of all parameters."};
inline constexpr StepInfo norm{layer, "norm", "√(Σ g²)",
                               "How long the gradient is, taken as one vector of all numbers."};
inline constexpr StepInfo factor{
    layer, "factor", "min(1, max_norm / (norm + ε))",
    "What every number is multiplied with: 1 where the gradient is short enough."};
inline constexpr StepInfo clipped{layer, "clipped", "factor · g",
                                  "The same direction, and no longer than max_norm."};
}  // namespace steps::clip

// A gradient of at most max_norm, step by step in ops (Pascanu et al. 2013, algorithm 1): what a training
// step does in two kernels. Of any shape; max_norm must be above 0, else Error.
Tensor clip(const Tensor& gradient, const Clipping& clipping);

}  // namespace glassbox
