#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

Tensor sum(const Tensor& x);                               // of all elements: shape ()
Tensor sum(const Tensor& x, int axis, bool keep = false);  // over one axis, which goes, or stays with size 1
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, int axis, bool keep = false);

// Sums x over the axes along which `shape` was broadcast to x's: the way back of broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace glassbox
