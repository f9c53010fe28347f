#include <algorithm>

#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/strided.h>

// C = A B,  C_ij = Σ_l A_il B_lj: from the definition to tiles in shared memory. cuBLAS goes further in the
// same direction: larger tiles, held in registers.
namespace glassbox {

namespace {

constexpr int side = 16;  // of a tile

// A batch of pairs of matrices with any strides.
struct Pairs {
    Strided<2> matrices;  // the offsets of the n-th matrix of a and of b
    const real *a, *b;
    index_t a_row, a_col, b_row, b_col;  // strides
    index_t m, n, k, count;
};

Pairs pairs(const ConstView& a, const ConstView& b, const View& c) {
    const Shape batch = c.shape.leading(c.shape.rank() - 2);
    const auto of_batch = [&](const ConstView& x) {
        return broadcast_strides(x.shape.leading(x.shape.rank() - 2), x.strides, batch);
    };
    const auto stride = [](const ConstView& x, int from_end) {
        return x.strides[static_cast<std::size_t>(x.shape.rank() - from_end)];
    };
    const Strides of_a = of_batch(a), of_b = of_batch(b);
    return {strided<2>(batch, {&of_a, &of_b}),
            a.data,
            b.data,
            stride(a, 2),
            stride(a, 1),
            stride(b, 2),
            stride(b, 1),
            c.shape[-2],
            c.shape[-1],
            a.shape[-1],
            batch.numel()};
}

// One thread per number of C. It reads a row of A and a column of B, so each number is read from memory n or
// m times in all.
__global__ void naive_kernel(Pairs x, real* c) {
    const index_t entries = x.count * x.m * x.n;
    for (index_t entry = first_item(); entry < entries; entry += item_step()) {
        const index_t j = entry % x.n, i = entry / x.n % x.m;
        const auto begin = x.matrices.at(entry / (x.n * x.m));
        const real* row = x.a + begin.of[0] + i * x.a_row;
        const real* column = x.b + begin.of[1] + j * x.b_col;
        real sum = 0;
        for (index_t l = 0; l < x.k; ++l) sum += row[l * x.a_col] * column[l * x.b_row];
        c[entry] = sum;
    }
}

// One block per 16 × 16 tile of C. It loads 16 columns of A and 16 rows of B into shared memory, each thread
// one number of each, and each number is then used by 16 threads: a sixteenth of the memory traffic.
__global__ void tiled_kernel(Pairs x, real* c) {
    __shared__ real a[side][side], b[side][side];
    const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
    const index_t across = (x.n + side - 1) / side, down = (x.m + side - 1) / side;
    for (index_t tile = blockIdx.x; tile < x.count * across * down; tile += gridDim.x) {
        const index_t i = tile / across % down * side + row, j = tile % across * side + column;
        const index_t matrix = tile / (across * down);
        const auto begin = x.matrices.at(matrix);
        real sum = 0;
        for (index_t l = 0; l < x.k; l += side) {
            const bool a_in_range = i < x.m && l + column < x.k, b_in_range = l + row < x.k && j < x.n;
            a[row][column] = a_in_range ? x.a[begin.of[0] + i * x.a_row + (l + column) * x.a_col] : real(0);
            b[row][column] = b_in_range ? x.b[begin.of[1] + (l + row) * x.b_row + j * x.b_col] : real(0);
            __syncthreads();
#pragma unroll
            for (int s = 0; s < side; ++s) sum += a[row][s] * b[s][column];
            __syncthreads();  // before the tiles are overwritten
        }
        if (i < x.m && j < x.n) c[(matrix * x.m + i) * x.n + j] = sum;
    }
}

}  // namespace

void naive_matmul(const ConstView& a, const ConstView& b, const View& c) {
    launch({"matmul", a.shape, b.shape}, for_each_item(c.shape.numel()), naive_kernel, pairs(a, b, c),
           c.data);
}

void tiled_matmul(const ConstView& a, const ConstView& b, const View& c) {
    const Pairs x = pairs(a, b, c);
    const index_t tiles = x.count * ((x.m + side - 1) / side) * ((x.n + side - 1) / side);
    const dim3 grid(static_cast<unsigned>(std::min(tiles, max_blocks)));
    launch({"matmul", a.shape, b.shape}, {grid, dim3(side, side)}, tiled_kernel, x, c.data);
}

}  // namespace glassbox
