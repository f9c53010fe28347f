#include <cmath>
#include <numbers>

#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

namespace {

constexpr real half = real(0.5), cubic = real(0.044715);
constexpr real one_over_sqrt_2 = real(0.5 * std::numbers::sqrt2);
constexpr real sqrt_2_over_pi = real(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);

// Φ(x) = (1 + erf(x / √2)) / 2
Value normal_distribution(const Value& x) { return (erf(x * one_over_sqrt_2) + 1) * half; }

// φ(x) = exp(−x²/2) / √(2π)
Value normal_density(const Value& x) { return exp(x * x * -half) * (sqrt_2_over_pi * half); }

// u = √(2/π) (x + 0.044715 x³)
Value tanh_argument(const Value& x) { return (x + x * x * x * cubic) * sqrt_2_over_pi; }

}  // namespace

// x Φ(x), or x (1 + tanh u) / 2
void Backend::gelu(const ConstView& x_view, Activation form, const View& y) {
    const Value x(*this, x_view);
    if (form == Activation::gelu) assign(y, x * normal_distribution(x));
    else assign(y, x * (tanh(tanh_argument(x)) + 1) * half);
}

// dy (Φ(x) + x φ(x)), or dy ((1 + t) / 2 + x (1 − t²) u′ / 2),  t = tanh u,  u′ = √(2/π) (1 + 3 · 0.044715
// x²)
void Backend::gelu_backward(const ConstView& x_view, const ConstView& dy_view, Activation form,
                            const View& dx) {
    const Value x(*this, x_view), dy(*this, dy_view);
    if (form == Activation::gelu) return assign(dx, dy * (normal_distribution(x) + x * normal_density(x)));
    const Value t = tanh(tanh_argument(x));
    const Value slope = (x * x * (3 * cubic) + 1) * sqrt_2_over_pi;
    assign(dx, dy * ((t + 1) + x * (1 - t * t) * slope) * half);
}

}  // namespace glassbox
