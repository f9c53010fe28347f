#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

constexpr index_t chunk = index_t{1} << 14;  // elements a thread takes at a time

// Σ (x_i − μ)²
inline real lane_spread(const real* x, real mu, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a;
        load(a, x + i, count, mu);
        total += (a - mu) * (a - mu);
    });
    return folded_sum(total);
}

// A row in chunks of 8 doubles. (Functions called in a loop compiled for several instruction sets must be
// inlined, otherwise they are compiled only for the oldest one.)
constexpr index_t doubles = 8;
typedef real Reals __attribute__((vector_size(doubles * sizeof(real))));
typedef double Doubles __attribute__((vector_size(doubles * sizeof(double))));

inline double folded_double(const Doubles& all) {
    Doubles a = all;
    a += __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
    a += __builtin_shufflevector(a, a, 2, 3, 0, 1, 2, 3, 0, 1);
    a += __builtin_shufflevector(a, a, 1, 0, 1, 0, 1, 0, 1, 0);
    return a[0];
}

struct MeanAndVariance {
    real mean, variance;
};

// E[x] and E[x²] − E[x]², summed in double: if the mean is large compared with the deviations, E[x²] and
// E[x]² are nearly equal, and in float their difference would be mostly rounding error.
[[gnu::always_inline]] inline MeanAndVariance one_pass(const real* x, index_t n) {
    Doubles sums = {}, squares = {};
    const auto add = [&](const real* eight) {
        Reals reals;
        std::memcpy(&reals, eight, sizeof reals);
        const Doubles values = __builtin_convertvector(reals, Doubles);
        sums += values;
        squares += values * values;
    };
    index_t i = 0;
    for (; i + doubles <= n; i += doubles) add(x + i);
    if (i < n) {
        real rest[doubles] = {};
        std::copy(x + i, x + n, rest);
        add(rest);
    }
    const double part = 1 / static_cast<double>(n), mean = folded_double(sums) * part;
    return {static_cast<real>(mean), static_cast<real>(folded_double(squares) * part - mean * mean)};
}

[[gnu::always_inline]] inline MeanAndVariance two_pass(const real* x, index_t n) {
    const real count = static_cast<real>(n), mean = lane_sum(x, n) / count;
    return {mean, lane_spread(x, mean, n) / count};
}

struct Affine {
    const real *gamma, *beta;
    real epsilon;
    Moments moments;
};

// y = (x − μ) r ∘ γ + β,  r = 1 / √(σ² + ε)
GLASSBOX_CLONES void layer_norm_rows(const real* x, real* y, real* mu, real* r, index_t rows, index_t n,
                                     const Affine& affine) {
    const real *gamma = affine.gamma, *beta = affine.beta;
    for (index_t i = 0; i < rows; ++i, x += n, y += n) {
        const auto [mean, variance] = affine.moments == Moments::two_pass ? two_pass(x, n) : one_pass(x, n);
        const real scale = 1 / std::sqrt((variance < 0 ? 0 : variance) + affine.epsilon);
        for (index_t j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
        mu[i] = mean;
        r[i] = scale;
    }
}

// With x̂ = (x − μ) r and g = dy ∘ γ:  dx = r (g − mean(g) − x̂ mean(g ∘ x̂)),  dγ += dy ∘ x̂,  dβ += dy.
// The row of dx holds x̂ until the means are known.
GLASSBOX_CLONES void layer_norm_backward_rows(const real* x, const real* gamma, const real* mu, const real* r,
                                              const real* dy, real* dx, real* dgamma, real* dbeta,
                                              index_t rows, index_t n) {
    for (index_t i = 0; i < rows; ++i, x += n, dy += n, dx += n) {
        const real mean = mu[i], scale = r[i];
        for (index_t j = 0; j < n; ++j) dx[j] = (x[j] - mean) * scale;
        for (index_t j = 0; j < n; ++j) dgamma[j] += dy[j] * dx[j];
        for (index_t j = 0; j < n; ++j) dbeta[j] += dy[j];
        Lanes sum = {}, dot = {};
        over_lanes(n, [&](index_t j, index_t count) {
            Lanes a, b, c;
            load(a, dy + j, count), load(b, gamma + j, count), load(c, dx + j, count);
            const Lanes g = a * b;
            sum += g;
            dot += g * c;
        });
        const real mean_g = folded_sum(sum) / static_cast<real>(n),
                   mean_gx = folded_sum(dot) / static_cast<real>(n);
        for (index_t j = 0; j < n; ++j) dx[j] = scale * (dy[j] * gamma[j] - mean_g - dx[j] * mean_gx);
    }
}

}  // namespace

void CpuBackend::layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                            Moments moments, const View& y, const View& mu, const View& r) {
    const index_t n = y.shape[-1], rows = mu.shape.numel();
    std::vector<real> buffer_x, buffer_gamma, buffer_beta;
    const real* p = contiguous_data(x, buffer_x);
    const Affine affine{contiguous_data(gamma, buffer_gamma), contiguous_data(beta, buffer_beta),
                        static_cast<real>(epsilon), moments};
    parallel_for(rows, std::max<index_t>(1, chunk / n), [&](index_t begin, index_t end) {
        layer_norm_rows(p + begin * n, y.data + begin * n, mu.data + begin, r.data + begin, end - begin, n,
                        affine);
    });
}

// dγ and dβ are summed over chunks of rows, then over the chunks in order.
void CpuBackend::layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                                     const ConstView& r, const ConstView& dy, const View& dx,
                                     const View& dgamma, const View& dbeta) {
    const index_t n = dx.shape[-1], rows = mu.shape.numel();
    std::vector<real> buffer_x, buffer_gamma, buffer_dy;
    const real *p = contiguous_data(x, buffer_x), *q = contiguous_data(dy, buffer_dy),
               *g = contiguous_data(gamma, buffer_gamma);
    const index_t grain = std::max<index_t>({1, chunk / n, (rows + 63) / 64});
    const index_t chunks = (rows + grain - 1) / grain;
    std::vector<real> sums(static_cast<std::size_t>(2 * n * chunks), 0);
    parallel_for(rows, grain, [&](index_t begin, index_t end) {
        real* sum = sums.data() + begin / grain * 2 * n;
        layer_norm_backward_rows(p + begin * n, g, mu.data + begin, r.data + begin, q + begin * n,
                                 dx.data + begin * n, sum, sum + n, end - begin, n);
    });
    for (index_t j = 0; j < n; ++j) {
        double gamma_sum = 0, beta_sum = 0;
        for (index_t i = 0; i < chunks; ++i) {
            gamma_sum += sums[static_cast<std::size_t>(2 * n * i + j)];
            beta_sum += sums[static_cast<std::size_t>(2 * n * i + n + j)];
        }
        dgamma.data[j] = static_cast<real>(gamma_sum);
        dbeta.data[j] = static_cast<real>(beta_sum);
    }
}

}  // namespace glassbox
