#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/train/optimiser.h>

namespace glassbox {

namespace steps::adam {
inline constexpr const char* layer = "adam";
inline constexpr StepInfo before{layer, "before", "", "The parameters before this update."};
inline constexpr StepInfo gradient{layer, "gradient", "", "∂L/∂w, from the backward pass."};
inline constexpr StepInfo m_before{layer, "m_before", "", "m after the update before; 0 before the first."};
inline constexpr StepInfo v_before{layer, "v_before", "", "v after the update before; 0 before the first."};
inline constexpr StepInfo g{layer, "g", "clip · ∂L/∂w", "The clipped gradient."};
inline constexpr StepInfo g_decayed{
    layer, "g", "clip · ∂L/∂w + λ w",
    "The clipped gradient plus weight decay. Adam divides the decay by √v̂ as well."};
inline constexpr StepInfo m{layer, "m", "β₁ m + (1 − β₁) g",
                            "The recent direction of gradients: a running average."};
inline constexpr StepInfo v{layer, "v", "β₂ v + (1 − β₂) g²",
                            "The recent size of gradients: a running average of their squares."};
inline constexpr StepInfo m_hat{layer, "m_hat", "m / (1 − β₁ᵗ)",
                                "Corrects for the average's start at 0, most in the first steps."};
inline constexpr StepInfo v_hat{layer, "v_hat", "v / (1 − β₂ᵗ)", "The same for the squares."};
inline constexpr StepInfo w{layer, "w", "w − η m̂ / (√v̂ + ε)",
                            "A step of about η in each direction, however large the gradient is."};
inline constexpr StepInfo w_decayed{layer, "w", "w − η (m̂ / (√v̂ + ε) + λ w)",
                                    "The same, and the weight itself shrinks by a share: AdamW."};
}  // namespace steps::adam

// A parameter and Adam's two moments.
struct AdamState {
    Tensor w, m, v;  // of the same shape
};

// Update number t (from 1) of Adam (Kingma and Ba 2015, algorithm 1) or AdamW (Loshchilov and Hutter 2019,
// algorithm 2), step by step in ops, for reading and tracing; Optimiser does the same in one kernel. `rate`
// is η, `clip` is the factor on the gradient. Throws Error for another kind of optimiser, shapes that differ,
// and t < 1.
AdamState adam(const AdamState& state, const Tensor& gradient, const OptimiserConfig& config, index_t t,
               double rate, double clip = 1);

}  // namespace glassbox
