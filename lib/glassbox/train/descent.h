#pragma once
#include <glassbox/train/adam.h>

namespace glassbox {

namespace steps::descent {
inline constexpr const char* layer = "descent";
inline constexpr StepInfo before = adam::before.of(layer);
inline constexpr StepInfo gradient = adam::gradient.of(layer);
inline constexpr StepInfo g = adam::g.of(layer);
inline constexpr StepInfo g_decayed{layer, "g", "clip · ∂L/∂w + λ w",
                                    "The gradient that counts: clipped, and pulling towards 0."};
inline constexpr StepInfo m{layer, "m", "μ m + g", "The velocity: it keeps the share μ of what it was."};
inline constexpr StepInfo w{layer, "w", "w − η m", "A step downhill, as long as the velocity says."};
}  // namespace steps::descent

struct DescentState {
    Tensor w, m;  // one shape; m is the velocity
};

// One update of gradient descent with momentum μ, step by step in ops; Optimiser does the same in one kernel.
// Throws Error for a config of another kind and for shapes that differ.
DescentState descent(const DescentState& state, const Tensor& gradient, const OptimiserConfig& config,
                     double rate, double clip = 1);

}  // namespace glassbox
