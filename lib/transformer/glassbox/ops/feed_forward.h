#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// activation(x W₁ᵀ + b₁) W₂ᵀ + b₂ as one op that never materialises the (…, hidden) intermediate for all
// rows: x (…, in), W₁ (hidden, in), W₂ (out, hidden), biases or undefined for none → (…, out). Equal to
// linear, activation, linear within rounding. Throws the errors of linear.
Tensor fused_feed_forward(const Tensor& x, const Tensor& W1, const Tensor& b1, Activation activation,
                          const Tensor& W2, const Tensor& b2);

}  // namespace glassbox
