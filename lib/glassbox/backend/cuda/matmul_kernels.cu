#include <algorithm>

#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/strided.h>

// C = A B,  C_ij = Σ_l A_il B_lj: from the definition to tiles that the threads of a block share. The step
// from there to cuBLAS is more of the same: larger tiles, held in registers.
namespace glassbox {
namespace {

constexpr int side = 16;  // of a tile

// A batch of pairs of matrices, wherever each lies.
struct Pairs {
    Strided<2> matrices;  // where the n-th of a and of b begin
    const real *a, *b;
    index_t a_row, a_col, b_row, b_col;  // strides
    index_t m, n, k, count;
};

Pairs pairs(const ConstView& a, const ConstView& b, const View& c) {
    const Shape batch = c.shape.leading(c.shape.rank() - 2);
    const auto of_batch = [&](const ConstView& x) {
        return broadcast_strides(x.shape.leading(x.shape.rank() - 2), x.strides, batch);
    };
    const auto stride = [](const ConstView& x, int from_the_end) {
        return x.strides[static_cast<std::size_t>(x.shape.rank() - from_the_end)];
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

// A thread for each number of C. It reads a row of A and a column of B, as many others do: each number
// travels from memory n or m times.
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

// A block for each 16 × 16 numbers of C. It brings 16 columns of A and 16 rows of B into the memory that its
// threads share, each thread one number of each, and every thread uses 16 of them: a sixteenth of the travel.
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
            const bool a_is_there = i < x.m && l + column < x.k, b_is_there = l + row < x.k && j < x.n;
            a[row][column] = a_is_there ? x.a[begin.of[0] + i * x.a_row + (l + column) * x.a_col] : real(0);
            b[row][column] = b_is_there ? x.b[begin.of[1] + (l + row) * x.b_row + j * x.b_col] : real(0);
            __syncthreads();
#pragma unroll
            for (int s = 0; s < side; ++s) sum += a[row][s] * b[s][column];
            __syncthreads();  // before the next numbers overwrite these
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
    const dim3 grid(static_cast<unsigned>(std::min(tiles, most_blocks)));
    launch({"matmul", a.shape, b.shape}, {grid, dim3(side, side)}, tiled_kernel, x, c.data);
}

}  // namespace glassbox
