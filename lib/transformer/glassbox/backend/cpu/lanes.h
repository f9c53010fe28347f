#pragma once
#include <limits>
#include <utility>

#include <glassbox/backend/cpu/registers.h>

// Sums and maxima of a row in 16 lanes: the compiler may not reorder floating-point additions, so a plain
// loop would stay serial. The order is the same on every machine.
namespace glassbox {

constexpr index_t lanes = 16;

// In as many registers as an instruction set needs for them.
template <class Set>
struct Lanes {
    static constexpr int parts = static_cast<int>(lanes / width<Set>);
    Vector<Set> part[parts];
};

// f(part of a, part of b, …) of each register.
template <class Set, class F, class... L>
[[GLASSBOX_INLINED]] inline Lanes<Set> each(const F& f, const Lanes<Set>& a, const L&... more) {
    Lanes<Set> result;
#pragma GCC unroll 8
    for (int i = 0; i < Lanes<Set>::parts; ++i) result.part[i] = f(a.part[i], more.part[i]...);
    return result;
}

template <class Set>
[[GLASSBOX_INLINED]] inline Lanes<Set> all_lanes(real value) {
    return each([value](const Vector<Set>& zero) { return zero + value; }, Lanes<Set>{});
}

// The first `count` lanes from x, the others `missing`.
template <class Set>
[[GLASSBOX_INLINED]] inline Lanes<Set> loaded_lanes(const real* x, index_t count, real missing = 0) {
    real rest[lanes];
    if (count < lanes) {
        for (index_t j = 0; j < lanes; ++j) rest[j] = j < count ? x[j] : missing;
        x = rest;
    }
    Lanes<Set> result;
#pragma GCC unroll 8
    for (int i = 0; i < Lanes<Set>::parts; ++i) result.part[i] = loaded<Vector<Set>>(x + i * width<Set>);
    return result;
}

constexpr real lane_numbers[lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The same where all lanes may be read from x.
template <class Set>
[[GLASSBOX_INLINED]] inline Lanes<Set> first_lanes(const real* x, index_t count, real missing) {
    const real end = static_cast<real>(count);
    return each([=](const Vector<Set>& value,
                    const Vector<Set>& lane) { return lane < end ? value : Vector<Set>{} + missing; },
                loaded_lanes<Set>(x, lanes), loaded_lanes<Set>(lane_numbers, lanes));
}

template <class Set>
[[GLASSBOX_INLINED]] inline void store(const Lanes<Set>& a, real* y, index_t count) {
    real rest[lanes];
    real* const to = count < lanes ? rest : y;
#pragma GCC unroll 8
    for (int i = 0; i < Lanes<Set>::parts; ++i) store(a.part[i], to + i * width<Set>);
    for (index_t j = 0; count < lanes && j < count; ++j) y[j] = rest[j];
}

// Calls step(lanes of x from i on, of y, …) for i = 0, lanes, 2 · lanes, …; what a shorter last step lacks is
// `missing`.
template <class Set, class Step, class... X>
[[GLASSBOX_INLINED]] inline void over_lanes(index_t n, real missing, const Step& step, const X*... x) {
    index_t i = 0;
    for (; i + lanes <= n; i += lanes) step(loaded_lanes<Set>(x + i, lanes)...);
    if (i < n) step(loaded_lanes<Set>(x + i, n - i, missing)...);
}

// The numbers of a register, moved down by `by`, those at the end to the start.
template <int by, class V, std::size_t... i>
[[GLASSBOX_INLINED]] inline V rotated(const V& v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, ((static_cast<int>(i) + by) % static_cast<int>(sizeof...(i)))...);
}

template <int n, class V, class Combine>
[[GLASSBOX_INLINED]] inline V folded_register(const V& v, const Combine& combine) {
    constexpr std::size_t all = sizeof(V) / sizeof(v[0]);
    if constexpr (n == 1) return v;
    else
        return folded_register<n / 2>(V(combine(v, rotated<n / 2>(v, std::make_index_sequence<all>()))),
                                      combine);
}

// Reduces 16 lanes to one: combine(a, b) with the upper half as b, then with the upper quarter, …
template <class Set, class Combine>
[[GLASSBOX_INLINED]] inline real folded(const Lanes<Set>& a, const Combine& combine) {
    Lanes<Set> some = a;
#pragma GCC unroll 4
    for (int half = Lanes<Set>::parts / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < half; ++i) some.part[i] = combine(some.part[i], some.part[i + half]);
    return folded_register<static_cast<int>(width<Set>)>(some.part[0], combine)[0];
}

struct Sum {
    template <class V>
    [[GLASSBOX_INLINED]] V operator()(const V& a, const V& b) const {
        return a + b;
    }
};
struct Product {
    template <class V>
    [[GLASSBOX_INLINED]] V operator()(const V& a, const V& b) const {
        return a * b;
    }
};
// NaN in b is ignored.
struct Max {
    template <class V>
    [[GLASSBOX_INLINED]] V operator()(const V& a, const V& b) const {
        return b > a ? b : a;
    }
};

// Σ f(x_i, …), i < n, for an f of registers that is 0 of `missing`.
template <class Set, class F, class... X>
[[GLASSBOX_INLINED]] inline real lane_sum_of(index_t n, real missing, const F& f, const X*... x) {
    Lanes<Set> total = {};
    over_lanes<Set>(
        n, missing, [&](const auto&... a) { total = each(Sum{}, total, each(f, a...)); }, x...);
    return folded(total, Sum{});
}

// Σ x_i
template <class Set>
[[GLASSBOX_INLINED]] inline real lane_sum(const real* x, index_t n) {
    return lane_sum_of<Set>(
        n, 0, [](const auto& a) { return a; }, x);
}

// Σ x_i y_i
template <class Set>
[[GLASSBOX_INLINED]] inline real lane_dot(const real* x, const real* y, index_t n) {
    return lane_sum_of<Set>(
        n, 0, [](const auto& a, const auto& b) { return a * b; }, x, y);
}

// max x_i: −∞ if n is 0; NaN is ignored.
template <class Set>
[[GLASSBOX_INLINED]] inline real largest(const real* x, index_t n) {
    constexpr real lowest = -std::numeric_limits<real>::infinity();
    Lanes<Set> maxima = all_lanes<Set>(lowest);
    over_lanes<Set>(
        n, lowest, [&](const Lanes<Set>& a) { maxima = each(Max{}, maxima, a); }, x);
    return folded(maxima, Max{});
}

// Whether no x_i is NaN or ±∞: only these give NaN when multiplied by 0.
template <class Set>
[[GLASSBOX_INLINED]] inline bool all_finite(const real* x, index_t n) {
    return lane_sum_of<Set>(
               n, 0, [](const auto& a) { return 0 * a; }, x) == 0;
}

}  // namespace glassbox
