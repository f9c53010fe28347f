#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/train/optimiser.h>

namespace glassbox {

namespace steps::adam {
inline constexpr const char* layer = "adam";
inline constexpr StepInfo before{layer, "before", "", "The parameters before this update."};
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w, as the backward pass has left it."};
inline constexpr StepInfo g{layer, "g", "clip · ∂L/∂w", "The gradient that counts: clipped."};
inline constexpr StepInfo g_decayed{
    layer, "g", "clip · ∂L/∂w + λ w",
    "The gradient that counts: clipped, and pulling towards 0. Adam then divides the pull too."};
inline constexpr StepInfo m{layer, "m", "β₁ m + (1 − β₁) g",
                            "Where gradients have pointed of late: a running average."};
inline constexpr StepInfo v{layer, "v", "β₂ v + (1 − β₂) g²",
                            "How large they have been: a running average of their squares."};
inline constexpr StepInfo m_hat{layer, "m_hat", "m / (1 − β₁ᵗ)",
                                "The average began at 0: this makes up for it, most in the first steps."};
inline constexpr StepInfo v_hat{layer, "v_hat", "v / (1 − β₂ᵗ)", "The same for the squares."};
inline constexpr StepInfo w{layer, "w", "w − η m̂ / (√v̂ + ε)",
                            "A step of about η in each direction, however large the gradient is."};
inline constexpr StepInfo w_decayed{layer, "w", "w − η (m̂ / (√v̂ + ε) + λ w)",
                                    "The same, and a share of the weight itself goes: AdamW."};
}  // namespace steps::adam

// What Adam remembers of a parameter.
struct AdamState {
    Tensor w, m, v;  // one shape
};

// Update number t (from 1) of Adam (Kingma and Ba 2015, algorithm 1) or AdamW (Loshchilov and Hutter 2019,
// algorithm 2), step by step in ops, to be read and traced; Optimiser does the same in one kernel. `rate` is
// η, `clip` what the gradient is multiplied with. Throws Error for a config that is neither's, shapes that
// differ, and t < 1.
AdamState adam(const AdamState& state, const Tensor& gradient, const OptimiserConfig& config, index_t t,
               double rate, double clip = 1);

}  // namespace glassbox
