#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Over the last axis: each row becomes positive weights that sum to 1. A row of −∞ alone has no such weights
// (0/0) and becomes NaN.
[[nodiscard]] Tensor softmax(const Tensor& x);
[[nodiscard]] Tensor log_softmax(const Tensor& x);  // ln softmax(x), without the detour through tiny numbers

// y = x, but `value` wherever mask is 0. The mask broadcasts to x's shape and gets no gradient.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

}  // namespace glassbox
