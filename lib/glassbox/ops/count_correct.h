#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// In how many rows of the logits (…, C) the largest number, the first of several, stands at the label (…); a
// negative label is never met. A number for people: no step of the computation, and without a gradient. On
// the logits' device, shape ().
Tensor count_correct(const Tensor& logits, const Tensor& labels);

}  // namespace glassbox
