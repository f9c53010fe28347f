#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr index_t chunk = index_t{1} << 14;  // numbers whose γ and β gradients are added up by themselves

// Σ (x_i − μ)²
template <class Set>
[[GLASSBOX_INLINED]] inline real lane_spread(const real* x, real mu, index_t n) {
    return lane_sum_of<Set>(
        n, mu, [mu](const Vector<Set>& a) { return (a - mu) * (a - mu); }, x);
}

// Eight sums in double, in as many registers as an instruction set needs for them.
template <class Set>
struct Doubles {
    static constexpr int count = Set::bytes / static_cast<int>(sizeof(double)), all = 8, parts = all / count;
    using Register = typename VectorOf<double, Set::bytes>::type;
    using Reals = typename VectorOf<real, count* static_cast<int>(sizeof(real))>::type;  // as many numbers
    Register part[parts] = {};

    // sums += eight, squares += eight²
    [[GLASSBOX_INLINED]] static void add(const real* eight, Doubles& sums, Doubles& squares) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            Reals reals;
            std::memcpy(&reals, eight + i * count, sizeof reals);
            const Register values = __builtin_convertvector(reals, Register);
            sums.part[i] += values;
            squares.part[i] += values * values;
        }
    }
    [[GLASSBOX_INLINED]] double folded() const {
        Register some[parts];
        std::copy(part, part + parts, some);
#pragma GCC unroll 2
        for (int half = parts / 2; half > 0; half /= 2)
#pragma GCC unroll 2
            for (int i = 0; i < half; ++i) some[i] += some[i + half];
        return folded_register<count>(some[0], Sum{})[0];
    }
};

struct MeanAndVariance {
    real mean, variance;
};

// E[x] and E[x²] − E[x]², summed in double: if the mean is large compared with the deviations, E[x²] and
// E[x]² are nearly equal, and in float their difference would be mostly rounding error.
template <class Set>
[[GLASSBOX_INLINED]] inline MeanAndVariance one_pass(const real* x, index_t n) {
    Doubles<Set> sums, squares;
    index_t i = 0;
    for (; i + sums.all <= n; i += sums.all) sums.add(x + i, sums, squares);
    if (i < n) {
        real rest[Doubles<Set>::all] = {};
        std::copy(x + i, x + n, rest);
        sums.add(rest, sums, squares);
    }
    const double part = 1 / static_cast<double>(n), mean = sums.folded() * part;
    return {static_cast<real>(mean), static_cast<real>(squares.folded() * part - mean * mean)};
}

template <class Set>
[[GLASSBOX_INLINED]] inline MeanAndVariance two_pass(const real* x, index_t n) {
    const real count = static_cast<real>(n), mean = lane_sum<Set>(x, n) / count;
    return {mean, lane_spread<Set>(x, mean, n) / count};
}

struct Affine {
    const real *gamma, *beta;
    real epsilon;
    Moments moments;
};

// y = (x − μ) r ∘ γ + β,  r = 1 / √(σ² + ε)
constexpr Kernel layer_norm_rows = []<class Set>(Set, const real* x, real* y, real* mu, real* r, index_t rows,
                                                 index_t n, const Affine& affine) {
    const real *gamma = affine.gamma, *beta = affine.beta;
    for (index_t i = 0; i < rows; ++i, x += n, y += n) {
        const auto [mean, variance] =
            affine.moments == Moments::two_pass ? two_pass<Set>(x, n) : one_pass<Set>(x, n);
        const real scale = 1 / std::sqrt((variance < 0 ? 0 : variance) + affine.epsilon);
        for (index_t j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
        mu[i] = mean;
        r[i] = scale;
    }
};

// With x̂ = (x − μ) r and g = dy ∘ γ:  dx = r (g − mean(g) − x̂ mean(g ∘ x̂)),  dγ += dy ∘ x̂,  dβ += dy.
// The row of dx holds x̂ until the means are known.
constexpr Kernel layer_norm_backward_rows =
    []<class Set>(Set, const real* x, const real* gamma, const real* mu, const real* r, const real* dy,
                  real* dx, real* dgamma, real* dbeta, index_t rows, index_t n) {
        for (index_t i = 0; i < rows; ++i, x += n, dy += n, dx += n) {
            const real mean = mu[i], scale = r[i];
            for (index_t j = 0; j < n; ++j) dx[j] = (x[j] - mean) * scale;
            for (index_t j = 0; j < n; ++j) dgamma[j] += dy[j] * dx[j];
            for (index_t j = 0; j < n; ++j) dbeta[j] += dy[j];
            Lanes<Set> sum = {}, dot = {};
            const auto add = [&](const Lanes<Set>& dy_, const Lanes<Set>& gamma_, const Lanes<Set>& x_hat) {
                const Lanes<Set> g = each(Product{}, dy_, gamma_);
                sum = each(Sum{}, sum, g);
                dot = each(Sum{}, dot, each(Product{}, g, x_hat));
            };
            over_lanes<Set>(n, 0, add, dy, gamma, dx);
            const real mean_g = folded(sum, Sum{}) / static_cast<real>(n),
                       mean_gx = folded(dot, Sum{}) / static_cast<real>(n);
            for (index_t j = 0; j < n; ++j) dx[j] = scale * (dy[j] * gamma[j] - mean_g - dx[j] * mean_gx);
        }
    };

}  // namespace

void CpuBackend::layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                            Moments moments, const View& y, const View& mu, const View& r) {
    const index_t n = y.shape[-1], rows = mu.shape.numel();
    std::vector<real> buffer_x, buffer_gamma, buffer_beta;
    const real* p = contiguous_data(x, buffer_x);
    const Affine affine{contiguous_data(gamma, buffer_gamma), contiguous_data(beta, buffer_beta),
                        static_cast<real>(epsilon), moments};
    parallel_for(rows, std::max<index_t>(1, sizes().piece / n), [&](index_t begin, index_t end) {
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
