#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::loss {
inline constexpr const char* layer = "loss";
inline constexpr StepInfo logits{layer, "logits", "", "One score for each class; a row for each answer."};
inline constexpr StepInfo labels{layer, "labels", "",
                                 "The correct class; if negative, this row does not count."};
inline constexpr StepInfo probabilities{layer, "probabilities", "softmax(logits)",
                                        "Each row becomes probabilities."};
inline constexpr StepInfo q{layer, "q", "1 at the label, else 0", "What the probabilities should have been."};
inline constexpr StepInfo q_smoothed{
    layer, "q", "1 − ε + ε / C at the label, else ε / C",
    "What the probabilities should have been, with a share ε spread over all C classes."};
inline constexpr StepInfo losses{layer, "losses", "−Σ_c q_c ln probabilities_c",
                                 "The loss of each row: the less likely the correct class was, the larger."};
inline constexpr StepInfo loss{layer, "loss", "Σ losses / counted", "The mean over the rows that count."};
inline constexpr StepInfo dlogits{
    layer, "dlogits", "(probabilities − q) / counted",
    "∂loss/∂logits: positive where a class was too likely, negative where it was not likely enough."};
}  // namespace steps::loss

struct LossAndGradient {
    Tensor loss;     // (), the mean over the labels that count; NaN (0/0) if none does
    Tensor dlogits;  // (…, C), ∂loss/∂logits
};

// Cross-entropy and its gradient, step by step in ops; cross_entropy does the same with one kernel for each.
// logits (…, C), finite; labels (…). Throws the errors of cross_entropy.
LossAndGradient loss_and_gradient(const Tensor& logits, const Tensor& labels,
                                  const CrossEntropyOptions& options = {});

// The same loss of probabilities that are there already: scores (…, C) and their softmax. Steps: logits
// labels probabilities q losses loss.
Tensor loss_of_probabilities(const Tensor& scores, const Tensor& probabilities, const Tensor& labels);

namespace steps::perplexity {
inline constexpr StepInfo perplexity{"perplexity", "perplexity", "exp(loss)",
                                     "The model is as unsure as if it chose among this many equally likely "
                                     "words; of more than there are it is worse "
                                     "than guessing."};
}  // namespace steps::perplexity

// exp of the loss, which is in nats. Steps: logits labels probabilities q losses loss perplexity. Shape ().
Tensor perplexity(const Tensor& logits, const Tensor& labels);

namespace steps::accuracy {
inline constexpr const char* layer = "accuracy";
inline constexpr StepInfo answers{layer, "answers", "argmax(logits)",
                                  "The class with the largest score; the first of equal ones."};
inline constexpr StepInfo right{layer, "right", "1 where the answer is the label",
                                "Which answers are right; a row whose label is negative never is."};
inline constexpr StepInfo accuracy{layer, "accuracy", "Σ right / counted",
                                   "The share of right answers among the rows that count."};
}  // namespace steps::accuracy

// The share of right answers, step by step; count_correct() counts them in one kernel. logits (…, C), labels
// (…), of which those below 0 do not count. Shape (); without a gradient.
Tensor accuracy(const Tensor& logits, const Tensor& labels);

}  // namespace glassbox
