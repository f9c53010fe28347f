#pragma once
#include <initializer_list>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Views: none of these copies unless noted. Negative axes count from the end.
[[nodiscard]] Tensor transpose(const Tensor& x);  // swaps the last two axes
// Axis i of the result is axis order[i] of x.
[[nodiscard]] Tensor permute(const Tensor& x, const std::vector<int>& order);
[[nodiscard]] Tensor swap_axes(const Tensor& x, int a, int b);
// The number of elements must stay the same. Copies if x is not contiguous.
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);
// One size may be −1 and is inferred: reshape(x, {2, -1})
[[nodiscard]] Tensor reshape(const Tensor& x, std::initializer_list<index_t> sizes);
// Repeats axes of size 1 and adds leading axes.
[[nodiscard]] Tensor broadcast_to(const Tensor& x, const Shape& shape);
// The entries [begin, end) of an axis.
[[nodiscard]] Tensor slice(const Tensor& x, int axis, index_t begin, index_t end);
[[nodiscard]] Tensor select(const Tensor& x, int axis, index_t i);  // entry i of an axis, which is removed
// All entries of an axis, which is removed. Their gradients share one block.
[[nodiscard]] std::vector<Tensor> unbind(const Tensor& x, int axis);
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, int axis, index_t parts);  // equal parts of an axis

// Copies.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& parts, int axis);  // equal sizes on all other axes
[[nodiscard]] Tensor contiguous(const Tensor& x);  // row-major without gaps; x itself if it already is

}  // namespace glassbox
