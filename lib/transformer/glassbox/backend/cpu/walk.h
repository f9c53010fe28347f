#pragma once
#include <array>
#include <cstddef>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// Iterates over N operands of one shape with any strides. Axes that are contiguous with the next one in every
// operand are merged first, so that row(offsets, n, steps) gets the longest runs that the layouts allow.
template <std::size_t N, class Row>
void walk(const Shape& shape, const std::array<Strides, N>& strides, Row&& row) {
    std::array<index_t, Shape::max_rank> sizes{};
    std::array<Strides, N> steps{};
    int rank = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const index_t size = shape[axis];
        if (size == 0) return;
        if (size == 1) continue;
        bool merges = rank > 0;
        for (std::size_t i = 0; i < N && merges; ++i) merges = steps[i][rank - 1] == strides[i][axis] * size;
        if (!merges) ++rank;
        sizes[rank - 1] = merges ? sizes[rank - 1] * size : size;
        for (std::size_t i = 0; i < N; ++i) steps[i][rank - 1] = strides[i][axis];
    }
    std::array<index_t, N> offsets{}, inner{};
    if (rank == 0) return row(offsets, index_t{1}, inner);
    for (std::size_t i = 0; i < N; ++i) inner[i] = steps[i][rank - 1];

    std::array<index_t, Shape::max_rank> position{};
    while (true) {
        row(offsets, sizes[rank - 1], inner);
        int axis = rank - 2;
        for (; axis >= 0; --axis) {
            for (std::size_t i = 0; i < N; ++i) offsets[i] += steps[i][axis];
            if (++position[axis] < sizes[axis]) break;
            for (std::size_t i = 0; i < N; ++i) offsets[i] -= steps[i][axis] * sizes[axis];
            position[axis] = 0;
        }
        if (axis < 0) return;
    }
}

}  // namespace glassbox
