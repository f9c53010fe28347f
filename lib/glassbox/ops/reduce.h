#pragma once
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

Tensor sum(const Tensor& x);                               // of all elements: shape ()
Tensor sum(const Tensor& x, int axis, bool keep = false);  // over one axis, which goes, or stays with size 1
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, int axis, bool keep = false);

// The largest along an axis. Its gradient goes to the places that are as large, in equal parts (torch.amax,
// jax.numpy.max).
Tensor max(const Tensor& x, int axis, bool keep = false);
// Where it is: the first of several, NaN before all; of an empty axis Error. No gradient. Row-major.
std::vector<index_t> argmax(const Tensor& x, int axis);

// Sums x over the axes along which `shape` was broadcast to x's: the way back of broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace glassbox
