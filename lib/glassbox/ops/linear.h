#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// y = x Wᵀ + b: x (…, in), W (out, in), b (out) or undefined for none; y (…, out). PyTorch's layout of W.
// Throws Error that names both shapes when they do not fit.
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b = {});

// For ops that have a linear map in them: the errors above, and a view of what may be undefined.
void check_linear(const Shape& x, Device device, const Tensor& W, const Tensor& b);
ConstView view_or_none(const Tensor& x);

}  // namespace glassbox
