#pragma once
#include <vector>

#include <glassbox/tensor/axis.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

[[nodiscard]] Tensor sum(const Tensor& x);  // of all elements: shape ()
// Over one axis, which is removed, or kept with size 1.
[[nodiscard]] Tensor sum(const Tensor& x, Axis axis, Keep keep = false);
[[nodiscard]] Tensor mean(const Tensor& x);
[[nodiscard]] Tensor mean(const Tensor& x, Axis axis, Keep keep = false);

// Σ (x − mean)² / max(0, n − correction). The default correction is 0, as in NumPy; torch.var uses 1, the
// unbiased estimate.
[[nodiscard]] Tensor var(const Tensor& x);
[[nodiscard]] Tensor var(const Tensor& x, Axis axis, Keep keep = false, index_t correction = 0);

// The largest or smallest element along an axis; NaN if any is NaN. The gradient is divided evenly among
// ties, as in torch.amax and jax.numpy.max.
[[nodiscard]] Tensor max(const Tensor& x, Axis axis, Keep keep = false);
[[nodiscard]] Tensor min(const Tensor& x, Axis axis, Keep keep = false);
// Its index along the axis, in row-major order of the other axes: the first among ties, and NaN counts as the
// largest. Throws Error for an empty axis. No gradient.
[[nodiscard]] std::vector<index_t> argmax(const Tensor& x, Axis axis);

// Sums x over the axes along which `shape` broadcasts to x's shape: the gradient of broadcasting.
[[nodiscard]] Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace glassbox
