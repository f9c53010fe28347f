#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include <glassbox/tensor/view.h>

namespace glassbox {

// How a kernel finds element i, in row-major order, of N arrays of one shape that have strides of their own.
// Axes that lie behind one another without a gap in all of them are one axis; axes of size 1 are none.
template <int N>
struct Strided {
    int rank = 0;
    bool small = true;  // positions fit into 32 bits, which are divided far faster than 64
    index_t sizes[Shape::max_rank];
    index_t strides[N][Shape::max_rank];

    struct Offsets {
        index_t of[N];
    };
    __device__ Offsets at(index_t i) const {
        return small ? at_position(static_cast<std::uint32_t>(i)) : at_position(i);
    }

  private:
    template <class Position>
    __device__ Offsets at_position(Position i) const {
        Offsets offsets = {};
        for (int axis = rank - 1; axis > 0; --axis) {
            const Position size = static_cast<Position>(sizes[axis]), rest = i / size;
            const index_t here = static_cast<index_t>(i - rest * size);
            for (int k = 0; k < N; ++k) offsets.of[k] += here * strides[k][axis];
            i = rest;
        }
        for (int k = 0; k < N && rank > 0; ++k) offsets.of[k] += static_cast<index_t>(i) * strides[k][0];
        return offsets;
    }
};

template <int N>
Strided<N> strided(const Shape& shape, const Strides* const (&of)[N]) {
    Strided<N> result;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const index_t size = shape[axis];
        if (size == 1) continue;
        bool merges = result.rank > 0;
        for (int k = 0; k < N && merges; ++k)
            merges = result.strides[k][result.rank - 1] == (*of[k])[static_cast<std::size_t>(axis)] * size;
        if (!merges) result.sizes[result.rank++] = 1;
        result.sizes[result.rank - 1] *= size;
        for (int k = 0; k < N; ++k)
            result.strides[k][result.rank - 1] = (*of[k])[static_cast<std::size_t>(axis)];
    }
    result.small = shape.numel() < (index_t{1} << 31);
    return result;
}

}  // namespace glassbox
