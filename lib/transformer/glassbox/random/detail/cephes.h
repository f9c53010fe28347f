#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace glassbox::detail {

// The parts of S. Moshier's Cephes library (1984) behind the float32 logarithms, sines and cosines of JAX and
// PyTorch. The streams must agree with theirs to the last bit, so libm's functions will not do. Always
// inlined, into the loops compiled for several instruction sets, where std::fma is one instruction instead of
// a call.

// x = (1 + fraction) · 2^exponent with 1 + fraction in [√½, √2), for a normal x > 0.
struct CephesMantissa {
    float fraction;
    float exponent;
};

[[gnu::always_inline]] inline CephesMantissa cephes_mantissa(float x) {
    const float smallest_normal = 1.17549435e-38f;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x > smallest_normal ? x : smallest_normal);
    const float half = std::bit_cast<float>((bits & 0x807fffffu) | 0x3f000000u);  // in [½, 1)
    const float exponent = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 127) + 1.0f;
    const bool below = half < 0.707106781186547524f;
    return {(half - 1.0f) + (below ? half : 0.0f), exponent - (below ? 1.0f : 0.0f)};
}

// ln x for x > 0: Cephes's logf, by Horner's rule.
[[gnu::always_inline]] inline float cephes_log(float x) {
    const CephesMantissa m = cephes_mantissa(x);
    const float f = m.fraction, f2 = f * f;
    float p = 7.0376836292e-2f;
    p = std::fma(p, f, -1.1514610310e-1f);
    p = std::fma(p, f, 1.1676998740e-1f);
    p = std::fma(p, f, -1.2420140846e-1f);
    p = std::fma(p, f, 1.4249322787e-1f);
    p = std::fma(p, f, -1.6668057665e-1f);
    p = std::fma(p, f, 2.0000714765e-1f);
    p = std::fma(p, f, -2.4999993993e-1f);
    p = std::fma(p, f, 3.3333331174e-1f);
    p = std::fma(p * f, f2, m.exponent * -2.12194440e-4f);
    p = std::fma(-0.5f, f2, p);
    return std::fma(m.exponent, 0.693359375f, f + p);
}

struct SineCosine {
    float sine;
    float cosine;
};

// sin x and cos x for x ≥ 0 (below 8192): Cephes's sinf and cosf. x is reduced to [−π/4, π/4] by subtracting
// a multiple of π/2 split into three parts; the octant selects which polynomial is the sine, and the signs.
[[gnu::always_inline]] inline SineCosine cephes_sine_cosine(float x) {
    const std::int32_t octant = (static_cast<std::int32_t>(x * 1.27323954473516f) + 1) & ~1;  // 4/π, to even
    const float turns = static_cast<float>(octant);
    float r = std::fma(turns, -0.78515625f, x);
    r = std::fma(turns, -2.4187564849853515625e-4f, r);
    r = std::fma(turns, -3.77489497744594108e-8f, r);
    const float z = r * r;
    float c = std::fma(2.443315711809948e-5f, z, -1.388731625493765e-3f);
    c = std::fma(c, z, 4.166664568298827e-2f);
    c = std::fma(c * z, z, -0.5f * z) + 1.0f;
    float s = std::fma(-1.9515295891e-4f, z, 8.3321608736e-3f);
    s = std::fma(s, z, -1.6666654611e-1f);
    s = std::fma(s * z, r, r);
    const bool swapped = (octant & 2) != 0;
    const float sine = swapped ? c : s, cosine = swapped ? s : c;
    return {(octant & 4) != 0 ? -sine : sine, ((octant - 2) & 4) == 0 ? -cosine : cosine};
}

}  // namespace glassbox::detail
