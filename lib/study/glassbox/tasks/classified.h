#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/loss.h>

namespace glassbox {

namespace steps::classified {
inline constexpr const char* layer = "classified";
inline constexpr StepInfo losses{layer, "losses", "−ln softmax(logits)[label]", loss::losses.sentence};
inline constexpr StepInfo total{layer, "loss", "Σ losses", "The loss of the whole batch."};
}  // namespace steps::classified

// The summed cross-entropy of `logits` (…, C) against `labels` (…), and the number of correct elements: those
// whose label has the largest logit, the first one in a tie. Elements with a negative label are ignored.
// `answers` are the labels that can be answered correctly, if not all can: see answers_among.
Outcome classified(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {},
                   const Tensor& answers = {});

// The labels, −1 in place of <unk>: predicting an unknown word is not a right answer.
Tensor answers_among(const Tensor& labels, index_t unknown);

index_t count_labels(const Tensor& labels);  // how many are not negative

}  // namespace glassbox
