#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// y = x Wᵀ + b: x (…, in), W (out, in) as in PyTorch, b (out) or undefined for none; y (…, out). Throws Error
// with both shapes when they do not fit.
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b = {});

// For ops that contain a linear map: the checks of linear(), and a view of a tensor that may be undefined.
void check_linear(const Shape& x, Device device, const Tensor& W, const Tensor& b);
ConstView view_or_none(const Tensor& x);

}  // namespace glassbox
