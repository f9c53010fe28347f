#include <algorithm>

#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/rows.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

// With x̂ = (x − μ) r and g = dy ∘ γ:  dx = r (g − mean(g) − x̂ mean(g ∘ x̂)),  dγ = Σ dy ∘ x̂,  dβ = Σ dy,
// the last two over all rows: first over the rows of each block, then over the blocks in order.
struct Norm {
    const real *x, *gamma, *mu, *r, *dy;
    real* dx;
    real* parts;  // (blocks, 2, n): each block's dγ and dβ
    index_t rows, n, rows_per_block;
};

// Adds the partial sums of a block's groups of lanes, one group after the other. (A block's rows are
// distributed over its groups.)
template <class Size>
__device__ void add_groups(const Row<Size>& dgamma, const Row<Size>& dbeta, real* parts, index_t n) {
    constexpr int widest = Size::lanes * Size::each;
    __shared__ real sums[2][widest];
    const int own = static_cast<int>(threadIdx.x) / Size::lanes, lane = Row<Size>::lane();
    for (int group = 0; group < block_threads / Size::lanes; ++group) {
        if (own == group)
#pragma unroll
            for (int k = 0; k < Size::each; ++k) {
                const int j = lane + k * Size::lanes;
                sums[0][j] = group == 0 ? dgamma.of[k] : sums[0][j] + dgamma.of[k];
                sums[1][j] = group == 0 ? dbeta.of[k] : sums[1][j] + dbeta.of[k];
            }
        __syncthreads();
    }
    for (int j = static_cast<int>(threadIdx.x); j < n; j += block_threads) {
        parts[j] = sums[0][j];
        parts[n + j] = sums[1][j];
    }
}

template <class Size>
__device__ void one_row_backward(const Norm& norm, index_t row, bool in_range, Row<Size>& dgamma,
                                 Row<Size>& dbeta) {
    const index_t n = in_range ? norm.n : 0, at = row * norm.n;
    const real mean = in_range ? norm.mu[row] : real(0), scale = in_range ? norm.r[row] : real(0);
    Row<Size> a, d;  // first x and dy, then x̂ and g
    a.read(norm.x + at, n, mean);
    d.read(norm.dy + at, n, 0);
    real sum = 0, dot = 0;
#pragma unroll
    for (int k = 0; k < Size::each; ++k) {
        const index_t j = Row<Size>::lane() + k * Size::lanes;
        a.of[k] = (a.of[k] - mean) * scale;
        dgamma.of[k] += d.of[k] * a.of[k];
        dbeta.of[k] += d.of[k];
        d.of[k] *= j < n ? norm.gamma[j] : real(0);
        sum += d.of[k];
        dot += d.of[k] * a.of[k];
    }
    const real mean_g = Row<Size>::sum_over_lanes(sum) / static_cast<real>(norm.n);
    const real mean_gx = Row<Size>::sum_over_lanes(dot) / static_cast<real>(norm.n);
#pragma unroll
    for (int k = 0; k < Size::each; ++k) d.of[k] = scale * (d.of[k] - mean_g - a.of[k] * mean_gx);
    d.write(norm.dx + at, n, [](real v, index_t) { return v; });
}

template <class Size>
__global__ void layer_norm_backward_rows(Norm norm) {
    constexpr int groups = block_threads / Size::lanes;
    const index_t begin = blockIdx.x * norm.rows_per_block;
    const index_t end = min(begin + norm.rows_per_block, norm.rows);
    Row<Size> dgamma = {}, dbeta = {};
    const index_t own = static_cast<int>(threadIdx.x) / Size::lanes;
    for (index_t first = begin; first < end;
         first += groups)  // the same number of iterations in all lanes of a warp
        one_row_backward(norm, first + own, first + own < end, dgamma, dbeta);
    add_groups(dgamma, dbeta, norm.parts + blockIdx.x * 2 * norm.n, norm.n);
}

// Rows too long for a warp: dx with one block per row, then dγ and dβ with one thread per column.
__global__ void layer_norm_backward_long_rows(Norm norm) {
    for_long_rows(norm.rows, [&](index_t row) {
        const index_t n = norm.n, at = row * n;
        const real mean = norm.mu[row], scale = norm.r[row];
        real sum = 0, dot = 0;
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) {
            const real g = norm.dy[at + j] * norm.gamma[j];
            sum += g;
            dot += g * ((norm.x[at + j] - mean) * scale);
        }
        const real mean_g = block_sum(sum) / static_cast<real>(n);
        const real mean_gx = block_sum(dot) / static_cast<real>(n);
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) {
            const real normed = (norm.x[at + j] - mean) * scale, g = norm.dy[at + j] * norm.gamma[j];
            norm.dx[at + j] = scale * (g - mean_g - normed * mean_gx);
        }
    });
}

__global__ void add_long_rows(Norm norm) {
    const index_t n = norm.n, across = index_t(gridDim.y) * block_threads;
    const index_t begin = blockIdx.x * norm.rows_per_block;
    const index_t end = min(begin + norm.rows_per_block, norm.rows);
    real* const parts = norm.parts + blockIdx.x * 2 * n;
    for (index_t j = index_t(blockIdx.y) * block_threads + threadIdx.x; j < n; j += across) {
        real dgamma = 0, dbeta = 0;
        for (index_t row = begin; row < end; ++row) {
            const real dy = norm.dy[row * n + j];
            dgamma += dy * ((norm.x[row * n + j] - norm.mu[row]) * norm.r[row]);
            dbeta += dy;
        }
        parts[j] = dgamma;
        parts[n + j] = dbeta;
    }
}

// Sums over the blocks in double: 8 threads per column, then over the 8.
constexpr int column_threads = 8;
__global__ void add_blocks(const real* parts, index_t blocks, index_t n, real* dgamma, real* dbeta) {
    __shared__ double found[column_threads][warp];
    const index_t j = index_t(blockIdx.x) * warp + threadIdx.x;
    double sum = 0;
    for (index_t i = threadIdx.y; i < blocks && j < 2 * n; i += column_threads)
        sum += static_cast<double>(parts[i * 2 * n + j]);
    found[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || j >= 2 * n) return;
    for (int k = 1; k < column_threads; ++k) sum += found[k][threadIdx.x];
    (j < n ? dgamma[j] : dbeta[j - n]) = static_cast<real>(sum);
}

constexpr index_t max_parts = 256;

}  // namespace

void CudaBackend::layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                                      const ConstView& r, const ConstView& dy, const View& dx,
                                      const View& dgamma, const View& dbeta) {
    const index_t n = dx.shape[-1], rows = mu.shape.numel();
    const index_t rows_per_block = std::max<index_t>(8, (rows + max_parts - 1) / max_parts);
    const index_t blocks = (rows + rows_per_block - 1) / rows_per_block;
    const Contiguous from(x), weight(gamma), mean(mu), scale(r), d(dy);
    const GpuScratch<real> parts(blocks * 2 * n);
    const Norm norm{from.data(),  weight.data(), mean.data(), scale.data(),  d.data(), dx.data,
                    parts.data(), rows,          n,           rows_per_block};
    const Op op("layer_norm_backward", x.shape);
    const unsigned grid = static_cast<unsigned>(blocks);
    if (n > longest_short_row) {
        launch(op, long_rows_launch(rows), layer_norm_backward_long_rows, norm);
        const unsigned columns =
            static_cast<unsigned>(std::min((n + block_threads - 1) / block_threads, max_blocks_along_y));
        launch(op, {dim3(grid, columns), dim3(block_threads)}, add_long_rows, norm);
    } else {
        with_row_size(n, [&](auto size) {
            launch(op, {dim3(grid), dim3(block_threads)}, layer_norm_backward_rows<decltype(size)>, norm);
        });
    }
    launch(op, {dim3(static_cast<unsigned>((2 * n + warp - 1) / warp)), dim3(warp, column_threads)},
           add_blocks, parts.data(), blocks, n, dgamma.data, dbeta.data);
}

}  // namespace glassbox
