#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The number of rows of the logits (…, C) whose argmax (the first of several maxima; NaN is the largest) is
// the label (…); a negative label never counts. A metric: not recorded, without a gradient. Shape (), on the
// logits' device.
Tensor count_correct(const Tensor& logits, const Tensor& labels);

}  // namespace glassbox
