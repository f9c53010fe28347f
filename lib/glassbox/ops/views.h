#pragma once
#include <initializer_list>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Other ways to read the same numbers. None of these copies, except where said. Negative axes count from the
// end.
[[nodiscard]] Tensor transpose(const Tensor& x);  // swaps the last two axes
[[nodiscard]] Tensor permute(const Tensor& x,
                             const std::vector<int>& order);  // axis i of the result is axis order[i] of x
[[nodiscard]] Tensor swap_axes(const Tensor& x, int a, int b);
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);  // as many elements; copies when x's
                                                                    // numbers do not lie in row-major order
// The same, where one size may be −1: as many as are left. reshape(x, {2, -1})
[[nodiscard]] Tensor reshape(const Tensor& x, std::initializer_list<index_t> sizes);
[[nodiscard]] Tensor broadcast_to(const Tensor& x,
                                  const Shape& shape);  // repeats axes of size 1 and leading axes
[[nodiscard]] Tensor slice(const Tensor& x, int axis, index_t begin,
                           index_t end);                            // entries [begin, end) of an axis
[[nodiscard]] Tensor select(const Tensor& x, int axis, index_t i);  // entry i of an axis, which goes
// All entries of an axis, which goes. One block takes their gradients on the way back.
[[nodiscard]] std::vector<Tensor> unbind(const Tensor& x, int axis);
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, int axis, index_t parts);  // equal parts of an axis

// Copies.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& parts, int axis);  // equal sizes on every other axis
[[nodiscard]] Tensor contiguous(const Tensor& x);  // row-major without gaps; x itself if it is already

}  // namespace glassbox
