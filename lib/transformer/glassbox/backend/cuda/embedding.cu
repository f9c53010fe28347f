#include <algorithm>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

constexpr int warps = block_threads / warp;

// One warp per row. In a recorded step ids are not checked by an op and may be out of range: the row is then
// NaN.
__global__ void gather(const real* table, index_t rows, index_t row, index_t column, const real* ids, real* y,
                       index_t count, index_t d) {
    for (index_t i = index_t(blockIdx.x) * warps + threadIdx.y; i < count; i += index_t(gridDim.x) * warps) {
        const bool is_row = ids[i] >= 0 && ids[i] < static_cast<real>(rows);
        const real* from = table + (is_row ? static_cast<index_t>(ids[i]) * row : 0);
        for (index_t j = threadIdx.x; j < d; j += warp)
            y[i * d + j] = is_row ? from[j * column] : static_cast<real>(NAN);
    }
}

// One block per row of the table and 128 of its columns. It processes the ids 1024 at a time: its warps set a
// bit for each occurrence of the row's id; then every thread adds the marked rows, for one column, in the
// order of the bits. No two threads write to the same element, and each sum is in row order.
constexpr int columns = 128, tile = 1024;

// For one column, called by all threads of a block.
__device__ real sum_of_marked(const real* x, const real* ids, index_t count, index_t d, index_t row,
                              index_t column) {
    __shared__ unsigned marks[tile / warp];
    const int lane = static_cast<int>(threadIdx.x) % warp, which = static_cast<int>(threadIdx.x) / warp;
    real sum = 0;
    for (index_t first = 0; first < count; first += tile) {
        __syncthreads();  // all threads are done with the last marks
        for (int k = which; k < tile / warp; k += columns / warp) {
            const index_t i = first + k * warp + lane;
            const bool matches = i < count && static_cast<index_t>(ids[i]) == row;
            const unsigned found = __ballot_sync(all_lanes, matches);
            if (lane == 0) marks[k] = found;
        }
        __syncthreads();
        unsigned some = __ballot_sync(all_lanes, marks[lane] != 0);
        for (; some; some &= some - 1) {
            const int k = __ffs(static_cast<int>(some)) - 1;
            for (unsigned bits = marks[k]; bits; bits &= bits - 1) {
                const index_t i = first + k * warp + __ffs(static_cast<int>(bits)) - 1;
                if (column < d) sum += x[i * d + column];
            }
        }
    }
    return sum;
}

__global__ void scatter(const real* x, const real* ids, real* table, index_t count, index_t n, index_t d) {
    const index_t across = index_t(gridDim.y) * columns;
    for (index_t row = blockIdx.x; row < n; row += gridDim.x)
        for (index_t begin = index_t(blockIdx.y) * columns; begin < d; begin += across) {
            const index_t column = begin + threadIdx.x;
            const real sum = sum_of_marked(x, ids, count, d, row, column);
            if (column < d) table[row * d + column] = sum;
        }
}

}  // namespace

void CudaBackend::gather_rows(const ConstView& table, const ConstView& ids, const View& y) {
    if (y.shape.numel() == 0) return;
    const Contiguous id(ids);
    const index_t count = ids.shape.numel();
    const index_t blocks = std::min((count + warps - 1) / warps, max_blocks);
    launch({"gather_rows", table.shape, ids.shape}, {dim3(static_cast<unsigned>(blocks)), dim3(warp, warps)},
           gather, table.data, table.shape[0], table.strides[0], table.strides[1], id.data(), y.data, count,
           table.shape[1]);
}

void CudaBackend::scatter_rows(const ConstView& x, const ConstView& ids, const View& table) {
    if (table.shape.numel() == 0) return;
    const Contiguous from(x), id(ids);
    const index_t n = table.shape[0], d = table.shape[1];
    const dim3 grid(static_cast<unsigned>(std::min(n, max_blocks)),
                    static_cast<unsigned>(std::min((d + columns - 1) / columns, max_blocks_along_y)));
    launch({"scatter_rows", x.shape, table.shape}, {grid, dim3(columns)}, scatter, from.data(), id.data(),
           table.data, ids.shape.numel(), n, d);
}

}  // namespace glassbox
