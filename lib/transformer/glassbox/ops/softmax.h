#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Over the last axis: each row becomes positive weights that sum to 1. A row of only −∞ becomes NaN (0/0).
[[nodiscard]] Tensor softmax(const Tensor& x);
[[nodiscard]] Tensor log_softmax(const Tensor& x);  // ln softmax(x), numerically stable

// y = x, but `value` wherever mask is 0. The mask broadcasts to x's shape and gets no gradient.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

}  // namespace glassbox
