#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <glassbox/tensor/real.h>

namespace glassbox {

// eˣ = 2ⁿ eʳ with x = n·ln 2 + r, |r| ≤ ln 2 / 2: eʳ by its Taylor polynomial (degree 7), and n in the low
// bits of `shifted`.
struct ReducedExp {
    float exp_r, shifted;
};
constexpr float exp_round = 12582912.0f;  // 1.5 · 2²³: adding it rounds to an integer

inline ReducedExp reduced_exp(float x) {
    constexpr float log2_e = 1.44269504088896341f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    const float shifted = x * log2_e + exp_round;
    const float n = shifted - exp_round;
    const float r = (x - n * ln2_high) - n * ln2_low;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return {p, shifted};
}

constexpr float lowest_exponent = -87.3365447f, highest_exponent = 88.7228394f;  // ln of float's normal range

// eˣ without branches or calls, so that loops over it vectorise. Within 1.2 ulp of the exact value
// (measured); 0 below the smallest normal number, ∞ and NaN as for std::exp.
inline float fast_exp(float x) {
    const float bounded = x < lowest_exponent ? lowest_exponent : x > highest_exponent ? highest_exponent : x;
    const auto [exp_r, shifted] = reduced_exp(bounded);
    // n reaches 128 at the top of the range, one more than an exponent can be: scale in two steps.
    const std::int32_t n = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(exp_round);
    const float half = std::bit_cast<float>((n / 2 + 127) << 23);
    const float rest = std::bit_cast<float>((n - n / 2 + 127) << 23);
    const float y = exp_r * half * rest;
    return x != x                 ? x
           : x < lowest_exponent  ? 0.0f
           : x > highest_exponent ? std::numeric_limits<float>::infinity()
                                  : y;
}

// The same for x ≤ 88, at two thirds of the cost: enough for softmax, where x ≤ 0.
inline float fast_exp_below_88(float x) {
    const auto [exp_r, shifted] = reduced_exp(x < lowest_exponent ? lowest_exponent : x);
    // The low 8 bits of `shifted` are n: moved to the exponent field and biased they give 2ⁿ.
    const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) + (127u << 23);
    const float y = exp_r * std::bit_cast<float>(power);
    return x < lowest_exponent ? 0.0f : y;  // NaN propagates through exp_r
}

// ln x for 1 ≤ x < ∞ and NaN, the range of a softmax's sum, which includes exp(0): x = 2ⁿ (1 + r), √½ ≤ 1 + r
// < √2, and ln(1 + r) by a polynomial (Cephes' logf). Within 0.9 ulp of the exact value (measured).
inline float fast_log_from_1(float x) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x), n = (bits - 0x3f3504f3) >> 23;
    const float r = std::bit_cast<float>(bits - (n << 23)) - 1, e = static_cast<float>(n), square = r * r;
    float p = 7.0376836292e-2f;
    p = p * r - 1.1514610310e-1f;
    p = p * r + 1.1676998740e-1f;
    p = p * r - 1.2420140846e-1f;
    p = p * r + 1.4249322787e-1f;
    p = p * r - 1.6668057665e-1f;
    p = p * r + 2.0000714765e-1f;
    p = p * r - 2.4999993993e-1f;
    p = p * r + 3.3333331174e-1f;
    const float y = r * square * p - 2.12194440e-4f * e - 0.5f * square;
    return x != x ? x : (r + y) + 0.693359375f * e;
}

// erf x by minimax polynomials: x + x p(x²) for |x| < 0.92, beyond that 1 − exp(q(|x|)) with q ≈ ln erfc, and
// 1 from |x| = 4 on. Within 1.4 ulp of the exact value (measured).
inline float fast_erf(float x) {
    const float t = std::fabs(x) > 4 ? 4.0f : std::fabs(x), square = x * x;  // NaN propagates
    float p = -5.99954627e-4f;
    p = p * square + 4.99486318e-3f;
    p = p * square - 2.67677475e-2f;
    p = p * square + 0.112818472f;
    p = p * square - 0.376124978f;
    p = p * square + 0.128379151f;
    float q = 1.95938264e-4f;
    q = q * t - 3.04322666e-3f;
    q = q * t + 2.22269557e-2f;
    q = q * t - 0.103931665f;
    q = q * t - 0.637182176f;
    q = q * t - 1.12767565f;
    q = q * t - 1.95666522e-4f;
    const float near = x + x * p, far = std::copysign(1 - fast_exp_below_88(q), x);
    return t < 0.92f ? near : x != x ? x : far;
}

// tanh x: x + x³ p(x²) for |x| < 0.625, beyond that 1 − 2 / (exp(2 |x|) + 1). Within 1.4 ulp of the exact
// value (measured).
inline float fast_tanh(float x) {
    const float t = std::fabs(x) > 10 ? 10.0f : std::fabs(x), square = x * x;  // tanh 10 = 1 in float
    float p = -5.70499059e-3f;
    p = p * square + 2.06390899e-2f;
    p = p * square - 5.37397154e-2f;
    p = p * square + 0.133314416f;
    p = p * square - 0.333332807f;
    const float near = t + t * (square * p), far = 1 - 2 / (fast_exp_below_88(2 * t) + 1);
    return x != x ? x : std::copysign(t < 0.625f ? near : far, x);
}

inline double fast_exp(double x) { return std::exp(x); }
inline double fast_erf(double x) { return std::erf(x); }
inline double fast_tanh(double x) { return std::tanh(x); }
inline double fast_exp_below_88(double x) { return std::exp(x); }
inline double fast_log_from_1(double x) { return std::log(x); }

}  // namespace glassbox
