#pragma once
#include <cuda_runtime.h>

#include <glassbox/tensor/real.h>

namespace glassbox {

constexpr real one_over_sqrt_2 = real(0.70710678118654752440);
constexpr real sqrt_2_over_pi = real(0.79788456080286535588);

// x Φ(x),  Φ(x) = (1 + erf(x / √2)) / 2
__device__ inline real gelu_erf(real x) { return real(0.5) * x * (1 + erf(x * one_over_sqrt_2)); }

// Φ(x) + x φ(x),  φ(x) = exp(−x²/2) / √(2π)
__device__ inline real gelu_erf_slope(real x) {
    const real Phi = real(0.5) * (1 + erf(x * one_over_sqrt_2));
    const real phi = exp(real(-0.5) * x * x) * (sqrt_2_over_pi / 2);
    return Phi + x * phi;
}

// x (1 + tanh u) / 2,  u = √(2/π) (x + 0.044715 x³)
__device__ inline real gelu_tanh(real x) {
    return real(0.5) * x * (1 + tanh(sqrt_2_over_pi * (x + real(0.044715) * x * x * x)));
}

// (1 + t) / 2 + x (1 − t²) u′ / 2,  t = tanh u,  u′ = √(2/π) (1 + 3 · 0.044715 x²)
__device__ inline real gelu_tanh_slope(real x) {
    const real t = tanh(sqrt_2_over_pi * (x + real(0.044715) * x * x * x));
    const real slope = sqrt_2_over_pi * (1 + 3 * real(0.044715) * x * x);
    return real(0.5) * ((1 + t) + x * (1 - t * t) * slope);
}

}  // namespace glassbox
