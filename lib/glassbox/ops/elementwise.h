#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Element by element; shapes broadcast as in NumPy, and a gradient is summed back over what was repeated.
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);

// The same with a plain number, which needs no gradient.
Tensor add(const Tensor& a, double b);
Tensor scale(const Tensor& a, double factor);
Tensor div(const Tensor& a, double divisor);

Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor relu(const Tensor& x);  // max(0, x); its derivative at 0 is 0, as PyTorch and JAX have it
Tensor negate(const Tensor& x);

// x Φ(x), by erf or, with Activation::gelu_tanh, by tanh. Throws Error for another activation.
Tensor gelu(const Tensor& x, Activation form = Activation::gelu);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, double b) { return add(a, -b); }
inline Tensor operator*(const Tensor& a, double factor) { return scale(a, factor); }
inline Tensor operator*(double factor, const Tensor& a) { return scale(a, factor); }
inline Tensor operator/(const Tensor& a, double divisor) { return div(a, divisor); }
inline Tensor operator-(const Tensor& x) { return negate(x); }

}  // namespace glassbox
