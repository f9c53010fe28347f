#pragma once
#include <cuda_runtime.h>

#include <algorithm>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/launch.h>

namespace glassbox {

// Kernels over the rows of a gapless array, n numbers each. A row of up to 1024 is read once and lies in the
// registers of one warp, or of a part of it when it is short: so a kernel costs what the memory costs.
// Longer rows have a block each, which reads them again where it needs to.
constexpr index_t longest_short_row = 1024;

template <int lanes_, int each_>
struct RowSize {
    static constexpr int lanes = lanes_;  // threads for a row
    static constexpr int each = each_;    // numbers for a thread
};

// Calls f with the least RowSize that a row of n fits into.
template <class F>
void with_row_size(index_t n, F f) {
    if (n <= 4) f(RowSize<4, 1>{});
    else if (n <= 8) f(RowSize<8, 1>{});
    else if (n <= 16) f(RowSize<16, 1>{});
    else if (n <= 32) f(RowSize<32, 1>{});
    else if (n <= 64) f(RowSize<32, 2>{});
    else if (n <= 128) f(RowSize<32, 4>{});
    else if (n <= 256) f(RowSize<32, 8>{});
    else if (n <= 512) f(RowSize<32, 16>{});
    else f(RowSize<32, 32>{});
}

// The numbers of a row that one thread has: j = lane, lane + lanes, …, so that neighbours read neighbours.
template <class Size>
struct Row {
    real of[Size::each];

    __device__ static int lane() { return static_cast<int>(threadIdx.x) % Size::lanes; }

    // From x, with `missing` beyond its end.
    __device__ void read(const real* x, index_t n, real missing) {
#pragma unroll
        for (int k = 0; k < Size::each; ++k) {
            const index_t j = lane() + k * Size::lanes;
            of[k] = j < n ? x[j] : missing;
        }
    }
    // y_j = f(x_j, j)
    template <class F>
    __device__ void write(real* y, index_t n, F f) const {
#pragma unroll
        for (int k = 0; k < Size::each; ++k) {
            const index_t j = lane() + k * Size::lanes;
            if (j < n) y[j] = f(of[k], j);
        }
    }
    __device__ real max() const {
        real most = of[0];
#pragma unroll
        for (int k = 1; k < Size::each; ++k) most = of[k] > most ? of[k] : most;
        return warp_reduce<Size::lanes>(most, Larger<real>());
    }
    __device__ real sum() const {
        real total = of[0];
#pragma unroll
        for (int k = 1; k < Size::each; ++k) total += of[k];
        return sum_over_lanes(total);
    }
    template <class T>
    __device__ static T sum_over_lanes(T value) {
        return warp_reduce<Size::lanes>(value, Plus<T>());
    }
};

// Calls f(row) for the rows of the threads that work together; past the last one with rows ≥ `rows`, for a
// warp's threads must stay together: f asks and leaves those alone.
template <class Size, class F>
__device__ void for_rows(index_t rows, F f) {
    const index_t warps_rows = warp / Size::lanes;
    const index_t own = (first_item() / warp) * warps_rows, step = (item_step() / warp) * warps_rows;
    for (index_t first = own; first < rows; first += step)
        f(first + (static_cast<int>(threadIdx.x) % warp) / Size::lanes);
}

template <class Size>
Launch rows_launch(Size, index_t rows) {
    return for_each_item(rows * Size::lanes);
}

// Long rows: a block each, f(row) by all its threads.
template <class F>
__device__ void for_long_rows(index_t rows, F f) {
    for (index_t row = blockIdx.x; row < rows; row += gridDim.x) f(row);
}
inline Launch long_rows_launch(index_t rows) {
    return {dim3(static_cast<unsigned>(std::min(rows, most_blocks))), dim3(1024), 0};
}

}  // namespace glassbox
