#pragma once
#include <glassbox/ops/cross_entropy.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// What it costs to say `logits` (…, C) where `labels` (…) were right: cross-entropy, summed. An element is
// correct when its label has the largest logit, the first of several. Negative labels do not count. Steps:
// losses loss.
Outcome classified(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

index_t count_labels(const Tensor& labels);  // those that are not negative

}  // namespace glassbox
