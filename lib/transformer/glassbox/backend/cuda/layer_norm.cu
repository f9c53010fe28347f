#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/rows.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

// y = (x − μ) r ∘ γ + β,  r = 1 / √(σ² + ε)
//
// The naive version: one thread per row, with three passes over it.
__global__ void layer_norm_thread_per_row(const real* x, const real* gamma, const real* beta, real epsilon,
                                          real* y, index_t rows, index_t n) {
    for (index_t row = first_item(); row < rows; row += item_step()) {
        const real* from = x + row * n;
        real mean = 0, variance = 0;
        for (index_t j = 0; j < n; ++j) mean += from[j] / static_cast<real>(n);
        for (index_t j = 0; j < n; ++j)
            variance += (from[j] - mean) * (from[j] - mean) / static_cast<real>(n);
        const real scale = 1 / sqrt(variance + epsilon);
        for (index_t j = 0; j < n; ++j) y[row * n + j] = (from[j] - mean) * scale * gamma[j] + beta[j];
    }
}

struct Affine {
    const real *gamma, *beta;
    real epsilon;
    Moments moments;

    // r from the variance, which may be slightly negative due to rounding.
    __device__ real scale(real variance) const { return 1 / sqrt((variance < 0 ? 0 : variance) + epsilon); }
};

// E[x] and E[x²] − E[x]² from sums in double: if the mean is large compared with the deviations, E[x²] and
// E[x]² are nearly equal, and in float their difference would be mostly rounding error.
__device__ void one_pass_moments(double sum, double squares, index_t n, real& mean, real& variance) {
    const double part = 1 / static_cast<double>(n);
    mean = static_cast<real>(sum * part);
    variance = static_cast<real>(squares * part - sum * part * (sum * part));
}

template <class Size>
__device__ void moments_of(const Row<Size>& a, index_t n, Moments how, real& mean, real& variance) {
    if (how == Moments::one_pass) {
        double sum = 0, squares = 0;
#pragma unroll
        for (int k = 0; k < Size::each; ++k) {
            sum += static_cast<double>(a.of[k]);
            squares += static_cast<double>(a.of[k]) * static_cast<double>(a.of[k]);
        }
        return one_pass_moments(Row<Size>::sum_over_lanes(sum), Row<Size>::sum_over_lanes(squares), n, mean,
                                variance);
    }
    mean = a.sum() / static_cast<real>(n);
    real spread = 0;
#pragma unroll
    for (int k = 0; k < Size::each; ++k) {
        const real deviation = Row<Size>::lane() + k * Size::lanes < n ? a.of[k] - mean : real(0);
        spread += deviation * deviation;
    }
    variance = Row<Size>::sum_over_lanes(spread) / static_cast<real>(n);
}

// One warp per row, which it holds in registers.
template <class Size>
__global__ void layer_norm_rows(const real* x, Affine affine, real* y, real* mu, real* r, index_t rows,
                                index_t n) {
    for_rows<Size>(rows, [&](index_t row) {
        Row<Size> a;
        a.read(x + row * n, row < rows ? n : 0, 0);
        real mean, variance;
        moments_of(a, n, affine.moments, mean, variance);
        if (row >= rows) return;
        const real scale = affine.scale(variance);
        a.write(y + row * n, n,
                [&](real v, index_t j) { return (v - mean) * scale * affine.gamma[j] + affine.beta[j]; });
        if (Row<Size>::lane() == 0) mu[row] = mean, r[row] = scale;
    });
}

__device__ void moments_of_long_row(const real* x, index_t n, Moments how, real& mean, real& variance) {
    if (how == Moments::one_pass) {
        double sum = 0, squares = 0;
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) {
            const double v = static_cast<double>(x[j]);
            sum += v, squares += v * v;
        }
        sum = block_sum(sum), squares = block_sum(squares);
        return one_pass_moments(sum, squares, n, mean, variance);
    }
    real sum = 0, spread = 0;
    for (index_t j = threadIdx.x; j < n; j += blockDim.x) sum += x[j];
    mean = block_sum(sum) / static_cast<real>(n);
    for (index_t j = threadIdx.x; j < n; j += blockDim.x) spread += (x[j] - mean) * (x[j] - mean);
    variance = block_sum(spread) / static_cast<real>(n);
}

// One block per row.
__global__ void layer_norm_long_rows(const real* x, Affine affine, real* y, real* mu, real* r, index_t rows,
                                     index_t n) {
    for_long_rows(rows, [&](index_t row) {
        const real* from = x + row * n;
        real mean, variance;
        moments_of_long_row(from, n, affine.moments, mean, variance);
        const real scale = affine.scale(variance);
        for (index_t j = threadIdx.x; j < n; j += blockDim.x)
            y[row * n + j] = (from[j] - mean) * scale * affine.gamma[j] + affine.beta[j];
        if (threadIdx.x == 0) mu[row] = mean, r[row] = scale;
    });
}

}  // namespace

void naive_layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                      const View& y) {
    if (x.shape.numel() == 0) return;
    const index_t n = x.shape[-1], rows = x.shape.numel() / n;
    launch({"naive layer_norm", x.shape}, for_each_item(rows), layer_norm_thread_per_row, x.data, gamma.data,
           beta.data, static_cast<real>(epsilon), y.data, rows, n);
}

void CudaBackend::layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta,
                             double epsilon, Moments moments, const View& y, const View& mu, const View& r) {
    const index_t n = y.shape[-1], rows = mu.shape.numel();
    if (rows == 0) return;
    const Contiguous from(x), weight(gamma), bias(beta);
    const Op op("layer_norm", x.shape);
    const Affine affine{weight.data(), bias.data(), static_cast<real>(epsilon), moments};
    if (n > longest_short_row)
        return launch(op, long_rows_launch(rows), layer_norm_long_rows, from.data(), affine, y.data, mu.data,
                      r.data, rows, n);
    with_row_size(n, [&](auto size) {
        launch(op, rows_launch(size, rows), layer_norm_rows<decltype(size)>, from.data(), affine, y.data,
               mu.data, r.data, rows, n);
    });
}

}  // namespace glassbox
