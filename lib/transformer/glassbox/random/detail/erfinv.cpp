#include <glassbox/random/detail/ziggurat.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <glassbox/random/detail/cephes.h>
#include <glassbox/tensor/processor.h>

// Each fma is one that JAX's compiler generates, and no other product is fused (the build sets
// -ffp-contract=off for this folder): without both, the last bit differs.

namespace glassbox::detail {

namespace {

// ln x for x > 0 by Cephes's polynomial of degree 8, evaluated as three interleaved polynomials in x³.
[[gnu::always_inline]] inline float log_by_thirds(float x) {
    const CephesMantissa m = cephes_mantissa(x);
    const float f = m.fraction, f2 = f * f, f3 = f2 * f;
    const float high = std::fma(std::fma(7.0376836292e-2f, f, -1.1514610310e-1f), f, 1.1676998740e-1f);
    const float middle = std::fma(std::fma(-1.2420140846e-1f, f, 1.4249322787e-1f), f, -1.6668057665e-1f);
    const float low = std::fma(std::fma(2.0000714765e-1f, f, -2.4999993993e-1f), f, 3.3333331174e-1f);
    const float series = std::fma(std::fma(high, f3, middle), f3, low);
    const float small = std::fma(series, f3, m.exponent * -2.12194440e-4f);
    return std::fma(m.exponent, 0.693359375f, std::fma(-0.5f, f2, f) + small);
}

// ln(1 + x) for |x| < √2 − 1 by Cephes's rational function: x − x²/2 + x³ P(x)/Q(x).
[[gnu::always_inline]] inline float log1p_near_zero(float x) {
    float q = x + 1.5062909083e1f;
    q = std::fma(q, x, 8.3047565968e1f);
    q = std::fma(q, x, 2.2176239824e2f);
    q = std::fma(q, x, 3.0909872225e2f);
    q = std::fma(q, x, 2.1642788615e2f);
    q = std::fma(q, x, 6.0118660498e1f);
    float p = std::fma(4.5270000862e-5f, x, 4.9854102823e-1f);
    p = std::fma(p, x, 6.5787325942e0f);
    p = std::fma(p, x, 2.9911919329e1f);
    p = std::fma(p, x, 6.0949667981e1f);
    p = std::fma(p, x, 5.7112963591e1f);
    p = std::fma(p, x, 2.0039553499e1f);
    const float x2 = x * x;
    return x + std::fma(-0.5f, x2, x * x2 * (p / q));
}

// Both branches are computed and one is selected, so that the loop vectorises.
[[gnu::always_inline]] inline float giles(float x) {
    const float minus_x2 = x * -x;
    const bool near_zero = std::fabs(minus_x2) < 0.41421356f;
    const float log1p = near_zero ? log1p_near_zero(minus_x2) : log_by_thirds(minus_x2 + 1.0f);
    const bool central = log1p > -5.0f;
    const float w = central ? -2.5f - log1p : std::sqrt(-log1p) - 3.0f;
    float p = central ? 2.81022636e-08f : -0.000200214257f;
    p = std::fma(p, w, central ? 3.43273939e-07f : 0.000100950558f);
    p = std::fma(p, w, central ? -3.5233877e-06f : 0.00134934322f);
    p = std::fma(p, w, central ? -4.39150654e-06f : -0.00367342844f);
    p = std::fma(p, w, central ? 0.00021858087f : 0.00573950773f);
    p = std::fma(p, w, central ? -0.00125372503f : -0.0076224613f);
    p = std::fma(p, w, central ? -0.00417768164f : 0.00943887047f);
    p = std::fma(p, w, central ? 0.246640727f : 1.00167406f);
    p = std::fma(p, w, central ? 1.50140941f : 2.83297682f);
    const float magnitude = std::fabs(x);
    p = magnitude == 1.0f ? std::numeric_limits<float>::infinity() : p;
    p = magnitude > 1.0f ? std::numeric_limits<float>::quiet_NaN() : p;
    return x * p;
}

constexpr Kernel erfinv_run = [](auto, float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = giles(x[i]);
};

}  // namespace

void erfinv_in_place(std::span<float> x) { erfinv_run(x.data(), x.size()); }

}  // namespace glassbox::detail
