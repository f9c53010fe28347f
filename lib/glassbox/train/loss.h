#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/ops/cross_entropy.h>

namespace glassbox {

namespace steps::loss {
inline constexpr const char* layer = "loss";
inline constexpr StepInfo logits{layer, "logits", "", "One score for each class; a row for each answer."};
inline constexpr StepInfo labels{layer, "labels", "",
                                 "The class that is right; a negative one: this row does not count."};
inline constexpr StepInfo probabilities{layer, "probabilities", "softmax(logits)",
                                        "Each row becomes probabilities."};
inline constexpr StepInfo q{layer, "q", "1 at the label, else 0", "What the probabilities should have been."};
inline constexpr StepInfo q_smoothed{
    layer, "q", "1 − ε + ε / C at the label, else ε / C",
    "What the probabilities should have been, a share ε of the certainty spread over all C classes."};
inline constexpr StepInfo losses{layer, "losses", "−Σ_c q_c ln probabilities_c",
                                 "What each answer costs: the less likely the right one was, the more."};
inline constexpr StepInfo loss{layer, "loss", "Σ losses / counted", "The mean of those that count."};
inline constexpr StepInfo dlogits{
    layer, "dlogits", "(probabilities − q) / counted",
    "∂loss/∂logits: what was too likely is pushed down, the right one up, as far as each was off."};
}  // namespace steps::loss

struct LossAndGradient {
    Tensor loss;     // (), the mean over the labels that count; 0 / 0, NaN, where none does
    Tensor dlogits;  // (…, C), ∂loss/∂logits
};

// Cross-entropy and its gradient, step by step in ops: what cross_entropy does in one kernel each. logits
// (…, C), finite; labels (…). Throws what cross_entropy throws.
LossAndGradient loss_and_gradient(const Tensor& logits, const Tensor& labels,
                                  const CrossEntropyOptions& options = {});

}  // namespace glassbox
