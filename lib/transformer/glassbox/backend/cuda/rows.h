#pragma once
#include <cuda_runtime.h>
#include <algorithm>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// Helpers for kernels over the rows of a contiguous array, n numbers each. A row of up to 1024 numbers is
// read once and held in the registers of one warp, or of part of a warp if it is short: softmax then
// takes 1.6 times as long as a copy (on an H200). Longer rows take a block each, which reads them again as
// needed.
constexpr index_t longest_short_row = 1024;

template <int lanes_, int each_>
struct RowSize {
    static constexpr int lanes = lanes_;  // threads for a row
    static constexpr int each = each_;    // numbers for a thread
};

// Calls f with the smallest RowSize that fits a row of n.
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

// The numbers of a row that one thread holds: j = lane, lane + lanes, …, so that reads are coalesced.
template <class Size>
struct Row {
    real of[Size::each];

    __device__ static int lane() { return static_cast<int>(threadIdx.x) % Size::lanes; }

    // Reads x, with `missing` beyond its end.
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
        real largest = of[0];
#pragma unroll
        for (int k = 1; k < Size::each; ++k) largest = of[k] > largest ? of[k] : largest;
        return warp_reduce<Size::lanes>(largest, Larger<real>());
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

// Calls f(row) for the rows of each group of lanes. Groups past the last row get a row ≥ `rows`, because all
// lanes of a warp must stay active; f must check for it.
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

// Long rows: one block per row, all threads of which call f(row).
template <class F>
__device__ void for_long_rows(index_t rows, F f) {
    for (index_t row = blockIdx.x; row < rows; row += gridDim.x) f(row);
}
inline Launch long_rows_launch(index_t rows) {
    return {dim3(static_cast<unsigned>(std::min(rows, max_blocks))), dim3(1024), 0};
}

// sums_j = Σ_i x_ij of a matrix with any strides, in an order that depends only on its shape.
void column_sums(const Op& op, const ConstView& x, real* sums);

}  // namespace glassbox
