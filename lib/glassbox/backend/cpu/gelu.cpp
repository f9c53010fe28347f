#include <cmath>
#include <numbers>
#include <vector>

#include <glassbox/backend/cpu/activation.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

constexpr index_t chunk = index_t{1} << 14;  // elements a thread takes at a time
constexpr real half = real(0.5), cubic = real(0.044715);
constexpr real one_over_sqrt_2 = real(0.5 * std::numbers::sqrt2);
constexpr real sqrt_2_over_pi = real(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
constexpr real one_over_sqrt_2_pi = sqrt_2_over_pi / 2;

GLASSBOX_CLONES void relu_run(const real* x, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? real(0) : x[i];  // NaN stays NaN
}

// x Φ(x),  Φ(x) = (1 + erf(x / √2)) / 2
GLASSBOX_CLONES void gelu_erf_run(const real* x, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i) y[i] = half * x[i] * (1 + fast_erf(x[i] * one_over_sqrt_2));
}

// x (1 + tanh u) / 2,  u = √(2/π) (x + 0.044715 x³)
GLASSBOX_CLONES void gelu_tanh_run(const real* x, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i)
        y[i] = half * x[i] * (1 + fast_tanh(sqrt_2_over_pi * (x[i] + cubic * x[i] * x[i] * x[i])));
}

// dy (Φ(x) + x φ(x)),  φ(x) = exp(−x²/2) / √(2π)
GLASSBOX_CLONES void gelu_erf_backward_run(const real* x, const real* dy, real* dx, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        const real Phi = half * (1 + fast_erf(x[i] * one_over_sqrt_2));
        const real phi = fast_exp_below_88(-half * x[i] * x[i]) * one_over_sqrt_2_pi;
        dx[i] = dy[i] * (Phi + x[i] * phi);
    }
}

// dy ((1 + t) / 2 + x (1 − t²) u′ / 2),  t = tanh u,  u′ = √(2/π) (1 + 3 · 0.044715 x²)
GLASSBOX_CLONES void gelu_tanh_backward_run(const real* x, const real* dy, real* dx, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        const real square = x[i] * x[i];
        const real t = fast_tanh(sqrt_2_over_pi * (x[i] + cubic * square * x[i]));
        const real slope = sqrt_2_over_pi * (1 + 3 * cubic * square);
        dx[i] = dy[i] * half * ((1 + t) + x[i] * (1 - t * t) * slope);
    }
}

}  // namespace

void activate(Activation f, const real* x, real* y, index_t n) {
    switch (f) {
        case Activation::none:
            return;
        case Activation::relu:
            return relu_run(x, y, n);
        case Activation::gelu:
            return gelu_erf_run(x, y, n);
        case Activation::gelu_tanh:
            return gelu_tanh_run(x, y, n);
    }
}

void CpuBackend::gelu(const ConstView& x, Activation form, const View& y) {
    std::vector<real> buffer;
    const real* p = contiguous_data(x, buffer);
    parallel_for(y.shape.numel(), chunk,
                 [&](index_t begin, index_t end) { activate(form, p + begin, y.data + begin, end - begin); });
}

void CpuBackend::gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx) {
    std::vector<real> buffer_x, buffer_dy;
    const real *p = contiguous_data(x, buffer_x), *q = contiguous_data(dy, buffer_dy);
    const auto run = form == Activation::gelu ? gelu_erf_backward_run : gelu_tanh_backward_run;
    parallel_for(dx.shape.numel(), chunk, [&](index_t begin, index_t end) {
        run(p + begin, q + begin, dx.data + begin, end - begin);
    });
}

}  // namespace glassbox
