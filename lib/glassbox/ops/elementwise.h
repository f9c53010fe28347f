#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Element by element; shapes broadcast as in NumPy, and a gradient is summed back over what was repeated.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);

// The same with a plain number, which needs no gradient.
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
[[nodiscard]] Tensor relu(
    const Tensor& x);  // max(0, x); its derivative at 0 is 0, as PyTorch and JAX have it
[[nodiscard]] Tensor negate(const Tensor& x);
[[nodiscard]] Tensor greater(const Tensor& a,
                             const Tensor& b);  // 1 where a > b, else 0, at NaN too; no gradient
[[nodiscard]] Tensor sigmoid(const Tensor& x);  // 1 / (1 + e⁻ˣ)
[[nodiscard]] Tensor silu(const Tensor& x);     // x sigmoid(x), also called swish
// x to the power of a number, as std::pow has it: a negative x with an exponent that is not whole is NaN.
[[nodiscard]] Tensor pow(const Tensor& x, double exponent);
[[nodiscard]] Tensor abs(const Tensor& x);  // its derivative at 0 is 0, as PyTorch and JAX have it
// x within [low, high], which may be infinite; NaN stays. The gradient passes where x is within, bounds
// included, as torch.clamp has it, and is 0 elsewhere.
[[nodiscard]] Tensor clip(const Tensor& x, double low, double high);

// x Φ(x), by erf or, with Activation::gelu_tanh, by tanh. Throws Error for another activation.
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

// x = x + y: a new value under the same name. Copies of the old one keep it.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = x / y; }
inline Tensor& operator+=(Tensor& x, double y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, double y) { return x = x - y; }
inline Tensor& operator*=(Tensor& x, double y) { return x = x * y; }
inline Tensor& operator/=(Tensor& x, double y) { return x = x / y; }

}  // namespace glassbox
