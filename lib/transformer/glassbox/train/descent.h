#pragma once
#include <glassbox/train/adam.h>

namespace glassbox {

namespace steps::descent {
inline constexpr const char* layer = "descent";
inline constexpr StepInfo before = adam::before.of(layer);
inline constexpr StepInfo gradient = adam::gradient.of(layer);
inline constexpr StepInfo m_before = adam::m_before.of(layer);
inline constexpr StepInfo g = adam::g.of(layer);
inline constexpr StepInfo g_decayed{layer, "g", "clip · ∂L/∂w + λ w",
                                    "The clipped gradient plus weight decay."};
inline constexpr StepInfo m{layer, "m", "μ m + g", "The velocity, which keeps a share μ of its old value."};
inline constexpr StepInfo w{layer, "w", "w − η m", "A step downhill in proportion to the velocity."};
}  // namespace steps::descent

struct DescentState {
    Tensor w, m;  // of the same shape; m is the velocity
};

// One update of gradient descent with momentum μ, step by step in ops; Optimiser does the same in one kernel.
// Throws Error for another kind of optimiser and for shapes that differ.
DescentState descent(const DescentState& state, const Tensor& gradient, const OptimiserConfig& config,
                     double rate, double clip = 1);

}  // namespace glassbox
