#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <glassbox/tensor/real.h>

// Functions of a number or of a vector register of them, V, without branches or calls. Of doubles the
// standard library's.
namespace glassbox {

template <class V>
struct NumbersOf {
    using type = std::remove_cvref_t<decltype(V{}[0])>;
    typedef std::int32_t Bits __attribute__((vector_size(sizeof(V))));
    typedef std::uint32_t Unsigned __attribute__((vector_size(sizeof(V))));
};
template <>
struct NumbersOf<float> {
    using type = float;
    using Bits = std::int32_t;
    using Unsigned = std::uint32_t;
};
template <>
struct NumbersOf<double> {
    using type = double;
};
template <class V>
constexpr bool is_of_doubles = std::is_same_v<typename NumbersOf<V>::type, double>;
template <class V>
using BitsOf = typename NumbersOf<V>::Bits;

template <class V>
[[gnu::always_inline]] inline V as_floats(const BitsOf<V>& bits) {
    return __builtin_bit_cast(V, bits);
}
template <class V>
[[gnu::always_inline]] inline BitsOf<V> bits_of(const V& x) {
    return __builtin_bit_cast(BitsOf<V>, x);
}

template <class V>
[[gnu::always_inline]] inline V as_numbers(const BitsOf<V>& whole) {
    if constexpr (std::is_same_v<V, float>) return static_cast<float>(whole);
    else return __builtin_convertvector(whole, V);
}

// f of every double.
template <class V, class F>
[[gnu::always_inline]] inline V of_each(V x, const F& f) {
    if constexpr (std::is_same_v<V, double>) return f(x);
    else {
        for (std::size_t i = 0; i < sizeof(V) / sizeof(double); ++i) x[i] = f(x[i]);
        return x;
    }
}

// eˣ = 2ⁿ eʳ with x = n·ln 2 + r, |r| ≤ ln 2 / 2: eʳ by its Taylor polynomial (degree 7), and n in the low
// bits of `shifted`.
template <class V>
struct ReducedExp {
    V exp_r, shifted;
};
constexpr float exp_round = 12582912.0f;  // 1.5 · 2²³: adding it rounds to an integer
constexpr std::int32_t exp_round_bits = __builtin_bit_cast(std::int32_t, exp_round);

template <class V>
[[gnu::always_inline]] inline ReducedExp<V> reduced_exp(const V& x) {
    constexpr float log2_e = 1.44269504088896341f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    const V shifted = x * log2_e + exp_round;
    const V n = shifted - exp_round;
    const V r = (x - n * ln2_high) - n * ln2_low;
    V p = r * (1.0f / 5040) + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return {p, shifted};
}

constexpr float lowest_exponent = -87.3365447f, highest_exponent = 88.7228394f;  // ln of float's normal range
constexpr float float_infinity = std::numeric_limits<float>::infinity();

// Within 1.2 ulp of the exact value (measured); 0 below the smallest normal number, ∞ and NaN as for
// std::exp.
template <class V>
[[gnu::always_inline]] inline V fast_exp(const V& x) {
    if constexpr (is_of_doubles<V>) {
        return of_each(x, [](double v) { return std::exp(v); });
    } else {
        V bounded = x < lowest_exponent ? V{} + lowest_exponent : x;
        bounded = bounded > highest_exponent ? V{} + highest_exponent : bounded;
        const auto [exp_r, shifted] = reduced_exp(bounded);
        // n reaches 128 at the top of the range, one more than an exponent can be: scale in two steps.
        const BitsOf<V> n = bits_of(shifted) - exp_round_bits, half = n >> 1;
        V y = exp_r * as_floats<V>((half + 127) << 23) * as_floats<V>((n - half + 127) << 23);
        y = x < lowest_exponent ? V{} : y;
        y = x > highest_exponent ? V{} + float_infinity : y;
        return x != x ? x : y;
    }
}

// The same for x ≤ 88, at two thirds of the cost: enough for softmax, where x ≤ 0.
template <class V>
[[gnu::always_inline]] inline V fast_exp_below_88(const V& x) {
    if constexpr (is_of_doubles<V>) {
        return of_each(x, [](double v) { return std::exp(v); });
    } else {
        const V bounded = x < lowest_exponent ? V{} + lowest_exponent : x;
        const auto [exp_r, shifted] = reduced_exp(bounded);
        // The low 8 bits of `shifted` are n: moved to the exponent field and biased they give 2ⁿ.
        using Unsigned = typename NumbersOf<V>::Unsigned;
        const Unsigned power = (__builtin_bit_cast(Unsigned, shifted) << 23) + (127u << 23);
        const V y = exp_r * __builtin_bit_cast(V, power);
        return x < lowest_exponent ? V{} : y;  // NaN propagates through exp_r
    }
}

// ln x for 1 ≤ x < ∞ and NaN, the range of a softmax's sum, which includes exp(0): x = 2ⁿ (1 + r), √½ ≤ 1 + r
// < √2, and ln(1 + r) by a polynomial (Cephes' logf). Within 0.9 ulp of the exact value (measured).
template <class V>
[[gnu::always_inline]] inline V fast_log_from_1(const V& x) {
    if constexpr (is_of_doubles<V>) {
        return of_each(x, [](double v) { return std::log(v); });
    } else {
        const BitsOf<V> bits = bits_of(x), n = (bits - 0x3f3504f3) >> 23;
        const V r = as_floats<V>(bits - (n << 23)) - 1, e = as_numbers<V>(n), square = r * r;
        V p = r * 7.0376836292e-2f - 1.1514610310e-1f;
        p = p * r + 1.1676998740e-1f;
        p = p * r - 1.2420140846e-1f;
        p = p * r + 1.4249322787e-1f;
        p = p * r - 1.6668057665e-1f;
        p = p * r + 2.0000714765e-1f;
        p = p * r - 2.4999993993e-1f;
        p = p * r + 3.3333331174e-1f;
        const V y = r * square * p - 2.12194440e-4f * e - 0.5f * square;
        return x != x ? x : (r + y) + 0.693359375f * e;
    }
}

constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();
template <class V>
[[gnu::always_inline]] inline V absolute(const V& x) {
    return as_floats<V>(bits_of(x) & ~sign_bit);
}
template <class V>
[[gnu::always_inline]] inline V with_sign_of(const V& x, const V& sign) {
    return as_floats<V>((bits_of(x) & ~sign_bit) | (bits_of(sign) & sign_bit));
}

// erf x by minimax polynomials: x + x p(x²) for |x| < 0.92, beyond that 1 − exp(q(|x|)) with q ≈ ln erfc, and
// 1 from |x| = 4 on. Within 1.4 ulp of the exact value (measured).
template <class V>
[[gnu::always_inline]] inline V fast_erf(const V& x) {
    if constexpr (is_of_doubles<V>) {
        return of_each(x, [](double v) { return std::erf(v); });
    } else {
        const V size = absolute(x), square = x * x;
        const V t = size > 4 ? V{} + 4.0f : size;  // NaN propagates
        V p = square * -5.99954627e-4f + 4.99486318e-3f;
        p = p * square - 2.67677475e-2f;
        p = p * square + 0.112818472f;
        p = p * square - 0.376124978f;
        p = p * square + 0.128379151f;
        V q = t * 1.95938264e-4f - 3.04322666e-3f;
        q = q * t + 2.22269557e-2f;
        q = q * t - 0.103931665f;
        q = q * t - 0.637182176f;
        q = q * t - 1.12767565f;
        q = q * t - 1.95666522e-4f;
        const V near = x + x * p, far = with_sign_of(V(1 - fast_exp_below_88(q)), x);
        const V y = x != x ? x : far;
        return t < 0.92f ? near : y;
    }
}

// tanh x: x + x³ p(x²) for |x| < 0.625, beyond that 1 − 2 / (exp(2 |x|) + 1). Within 1.4 ulp of the exact
// value (measured).
template <class V>
[[gnu::always_inline]] inline V fast_tanh(const V& x) {
    if constexpr (is_of_doubles<V>) {
        return of_each(x, [](double v) { return std::tanh(v); });
    } else {
        const V size = absolute(x), square = x * x;
        const V t = size > 10 ? V{} + 10.0f : size;  // tanh 10 = 1 in float
        V p = square * -5.70499059e-3f + 2.06390899e-2f;
        p = p * square - 5.37397154e-2f;
        p = p * square + 0.133314416f;
        p = p * square - 0.333332807f;
        const V near = t + t * (square * p), far = 1 - 2 / (fast_exp_below_88(V(2 * t)) + 1);
        const V y = with_sign_of(V(t < 0.625f ? near : far), x);
        return x != x ? x : y;
    }
}

}  // namespace glassbox
