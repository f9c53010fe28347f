#pragma once
#include <vector>

#include <glassbox/tensor/axis.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

[[nodiscard]] Tensor sum(const Tensor& x);  // of all elements: shape ()
[[nodiscard]] Tensor sum(const Tensor& x, Axis axis,
                         Keep keep = false);  // over one axis, which goes, or stays with size 1
[[nodiscard]] Tensor mean(const Tensor& x);
[[nodiscard]] Tensor mean(const Tensor& x, Axis axis, Keep keep = false);

// Σ (x − mean)² / (n − correction), of which at least 0 is left. The correction is 0, as in NumPy; torch.var
// has 1, the unbiased estimate.
[[nodiscard]] Tensor var(const Tensor& x);
[[nodiscard]] Tensor var(const Tensor& x, Axis axis, Keep keep = false, index_t correction = 0);

// The largest or smallest along an axis; NaN where there is one. Its gradient goes to the places that are as
// large, or small, in equal parts (torch.amax, jax.numpy.max).
[[nodiscard]] Tensor max(const Tensor& x, Axis axis, Keep keep = false);
[[nodiscard]] Tensor min(const Tensor& x, Axis axis, Keep keep = false);
// Where it is: the first of several, NaN before all; of an empty axis Error. No gradient. Row-major.
[[nodiscard]] std::vector<index_t> argmax(const Tensor& x, Axis axis);

// Sums x over the axes along which `shape` was broadcast to x's: the way back of broadcasting.
[[nodiscard]] Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace glassbox
