#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::clip {
inline constexpr const char* layer = "clip";
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w of all parameters."};
inline constexpr StepInfo norm{layer, "norm", "√(Σ g²)",
                               "The length of the gradient as one vector of all its numbers."};
inline constexpr StepInfo factor{layer, "factor", "min(1, max_norm / (norm + ε))",
                                 "The factor on every number: 1 if the gradient is short enough."};
inline constexpr StepInfo clipped{layer, "clipped", "factor · g",
                                  "The same direction, no longer than max_norm."};
}  // namespace steps::clip

// Clips a gradient of any shape to max_norm, step by step in ops (Pascanu et al. 2013, algorithm 1). A
// training step does the same in two kernels. max_norm must be above 0, else Error.
Tensor clip(const Tensor& gradient, const Clipping& clipping);

}  // namespace glassbox
