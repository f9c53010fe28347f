#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/ops/cross_entropy.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/loss.h>

namespace glassbox {

namespace steps::classified {
inline constexpr const char* layer = "classified";
inline constexpr StepInfo losses{layer, "losses", "−ln softmax(logits)[label]", loss::losses.sentence};
inline constexpr StepInfo total{layer, "loss", "Σ losses", "What the whole batch costs."};
}  // namespace steps::classified

// What it costs to say `logits` (…, C) where `labels` (…) were right: cross-entropy, summed. An element is
// correct when its label has the largest logit, the first of several. Negative labels do not count.
Outcome classified(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

index_t count_labels(const Tensor& labels);  // those that are not negative

}  // namespace glassbox
