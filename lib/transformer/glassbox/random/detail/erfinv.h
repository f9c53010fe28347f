#pragma once
#include <span>

namespace glassbox {

// x → erf⁻¹(x), elementwise in place, in float32 and bit for bit as JAX computes it on a CPU: M. Giles,
// "Approximating the erfinv function" (GPU Computing Gems 2, 2011), table 5, on w = −log1p(−x²).
// ±1 gives ±∞; outside [−1, 1] the result is NaN.
void erfinv_in_place(std::span<float> x);

}  // namespace glassbox
