#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Element by element. Shapes broadcast as in NumPy; gradients are summed over the broadcast axes.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);

// The same with a plain number, which has no gradient.
[[nodiscard]] Tensor add(const Tensor& a, double b);
[[nodiscard]] Tensor scale(const Tensor& a, double factor);
[[nodiscard]] Tensor div(const Tensor& a, double divisor);
[[nodiscard]] Tensor sub(double a, const Tensor& b);
[[nodiscard]] Tensor div(double a, const Tensor& b);

[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor log(const Tensor& x);
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor erf(const Tensor& x);
// max(0, x). The derivative at 0 is 0, as in PyTorch and JAX.
[[nodiscard]] Tensor relu(const Tensor& x);
[[nodiscard]] Tensor negate(const Tensor& x);
// 1 where a > b, else 0, also where either is NaN. No gradient.
[[nodiscard]] Tensor greater(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sigmoid(const Tensor& x);  // 1 / (1 + e⁻ˣ)
[[nodiscard]] Tensor silu(const Tensor& x);     // x sigmoid(x), also called swish
// x to the power of a number, with the rules of std::pow: negative x with a fractional exponent is NaN.
[[nodiscard]] Tensor pow(const Tensor& x, double exponent);
[[nodiscard]] Tensor abs(const Tensor& x);  // the derivative at 0 is 0, as in PyTorch and JAX
// x clamped to [low, high]; the bounds may be infinite, and NaN stays NaN. The gradient is ∂L/∂y where x is
// within, bounds included, and 0 elsewhere, as in torch.clamp.
[[nodiscard]] Tensor clip(const Tensor& x, double low, double high);

// x Φ(x), with erf or, for Activation::gelu_tanh, the tanh approximation. Throws Error for other activations.
[[nodiscard]] Tensor gelu(const Tensor& x, Activation form = Activation::gelu);

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, double b) { return add(a, -b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, double factor) { return scale(a, factor); }
[[nodiscard]] inline Tensor operator*(double factor, const Tensor& a) { return scale(a, factor); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, double divisor) { return div(a, divisor); }
[[nodiscard]] inline Tensor operator+(double a, const Tensor& b) { return add(b, a); }
[[nodiscard]] inline Tensor operator-(double a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator/(double a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& x) { return negate(x); }
[[nodiscard]] inline Tensor operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
[[nodiscard]] inline Tensor operator<(const Tensor& a, const Tensor& b) { return greater(b, a); }
[[nodiscard]] inline Tensor operator>(const Tensor& a, double b) {
    return greater(a, Tensor(b).to(a.device()));
}
[[nodiscard]] inline Tensor operator<(const Tensor& a, double b) {
    return greater(Tensor(b).to(a.device()), a);
}

// x = x + y: assigns a new value. Copies of x keep the old one.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = x / y; }
inline Tensor& operator+=(Tensor& x, double y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, double y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, double y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, double y) { return x = x / y; }

}  // namespace glassbox
