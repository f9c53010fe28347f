#include <cmath>
#include <numbers>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/registers.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr real half = real(0.5), cubic = real(0.044715);
constexpr real one_over_sqrt_2 = real(0.5 * std::numbers::sqrt2);
constexpr real sqrt_2_over_pi = real(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
constexpr real one_over_sqrt_2_pi = sqrt_2_over_pi / 2;

constexpr Kernel relu_run = [](auto, const real* x, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? real(0) : x[i];  // NaN stays NaN
};

// x Φ(x),  Φ(x) = (1 + erf(x / √2)) / 2
constexpr Kernel gelu_erf_run = []<class Set>(Set, const real* x, real* y, index_t n) {
    using V = Vector<Set>;
    over_registers<Set>(
        n, y, [](const V& v) { return half * v * (1 + fast_erf(V(v * one_over_sqrt_2))); }, x);
};

// x (1 + tanh u) / 2,  u = √(2/π) (x + 0.044715 x³)
constexpr Kernel gelu_tanh_run = []<class Set>(Set, const real* x, real* y, index_t n) {
    using V = Vector<Set>;
    const auto gelu = [](const V& v) {
        return half * v * (1 + fast_tanh(V(sqrt_2_over_pi * (v + cubic * v * v * v))));
    };
    over_registers<Set>(n, y, gelu, x);
};

// dy (Φ(x) + x φ(x)),  φ(x) = exp(−x²/2) / √(2π)
constexpr Kernel gelu_erf_backward_run = []<class Set>(Set, const real* x, const real* dy, real* dx,
                                                       index_t n) {
    using V = Vector<Set>;
    const auto gradient = [](const V& v, const V& dv) {
        const V Phi = half * (1 + fast_erf(V(v * one_over_sqrt_2)));
        const V phi = fast_exp_below_88(V(-half * v * v)) * one_over_sqrt_2_pi;
        return dv * (Phi + v * phi);
    };
    over_registers<Set>(n, dx, gradient, x, dy);
};

// dy ((1 + t) / 2 + x (1 − t²) u′ / 2),  t = tanh u,  u′ = √(2/π) (1 + 3 · 0.044715 x²)
constexpr Kernel gelu_tanh_backward_run = []<class Set>(Set, const real* x, const real* dy, real* dx,
                                                        index_t n) {
    using V = Vector<Set>;
    const auto gradient = [](const V& v, const V& dv) {
        const V square = v * v;
        const V t = fast_tanh(V(sqrt_2_over_pi * (v + cubic * square * v)));
        const V slope = sqrt_2_over_pi * (1 + 3 * cubic * square);
        return dv * half * ((1 + t) + v * (1 - t * t) * slope);
    };
    over_registers<Set>(n, dx, gradient, x, dy);
};

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
    parallel_for(y.shape.numel(), sizes().piece,
                 [&](index_t begin, index_t end) { activate(form, p + begin, y.data + begin, end - begin); });
}

void CpuBackend::gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx) {
    std::vector<real> buffer_x, buffer_dy;
    const real *p = contiguous_data(x, buffer_x), *q = contiguous_data(dy, buffer_dy);
    using Run = void (*)(const real* x, const real* dy, real* dx, index_t n);
    const Run run = form == Activation::gelu ? Run(gelu_erf_backward_run) : Run(gelu_tanh_backward_run);
    parallel_for(dx.shape.numel(), sizes().piece, [&](index_t begin, index_t end) {
        run(p + begin, q + begin, dx.data + begin, end - begin);
    });
}

}  // namespace glassbox
