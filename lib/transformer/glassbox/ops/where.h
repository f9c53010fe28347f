#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// a where the condition is not 0, else b, element by element; the three shapes broadcast as in NumPy.
// Elements that are not chosen have no effect, even if NaN, and a gradient of 0. The condition has no
// gradient.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// The same with a plain number.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, double b);
[[nodiscard]] Tensor where(const Tensor& condition, double a, const Tensor& b);

}  // namespace glassbox
