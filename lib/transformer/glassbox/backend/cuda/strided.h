#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// Maps the row-major index i to the offsets of that element in N arrays of one shape with different strides.
// Axes that are contiguous with the next one in all arrays are merged; axes of size 1 are dropped.
template <int N>
struct Strided {
    int rank = 0;
    bool small = true;  // indices fit in 32 bits, for which division is much faster than for 64
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
            const index_t position = static_cast<index_t>(i - rest * size);
            for (int k = 0; k < N; ++k) offsets.of[k] += position * strides[k][axis];
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
