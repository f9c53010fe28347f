#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace glassbox::detail {

// The 256 layers of equal area under exp(−x²/2) with which NumPy draws normals (Marsaglia and Tsang, "The
// Ziggurat Method for Generating Random Variables", 2000), computed as NumPy's own tables were. Tables and
// draws agree with NumPy's within 2e-14 (exp and log differ between libraries in the last bit).
struct Ziggurat {
    static constexpr double tail_start = 3.6541528853610088;  // x of the lowest layer
    static constexpr double layer_area =
        0.0049286732339746519;                               // of each layer; the lowest includes the tail
    static constexpr double mantissas = 4503599627370496.0;  // 2⁵²: x = mantissa · width[layer]
    std::array<std::uint64_t, 256> inside;                   // mantissas below this are under the curve
    std::array<double, 256> width;
    std::array<double, 256> height;  // exp(−x²/2) at the layer's edge
};

const Ziggurat& ziggurat();  // computed on first use

// x → erf⁻¹(x), elementwise in place, in float32 and bit for bit as JAX computes it on a CPU: M. Giles,
// "Approximating the erfinv function" (GPU Computing Gems 2, 2011), table 5, on w = −log1p(−x²).
// ±1 gives ±∞; outside [−1, 1] the result is NaN.
void erfinv_in_place(std::span<float> x);

}  // namespace glassbox::detail
