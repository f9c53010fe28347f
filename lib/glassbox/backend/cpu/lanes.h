#pragma once
#include <cstring>
#include <limits>

#include <glassbox/tensor/detail/clones.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// Sums and maxima of a row in 16 SIMD lanes: the compiler may not reorder floating-point additions, so a
// plain loop would stay serial. The order is the same on every machine.
constexpr index_t lanes = 16;
typedef real Lanes __attribute__((vector_size(lanes * sizeof(real))));

// Calls step(i, count) for i = 0, lanes, 2 · lanes, …; count is `lanes` except for a shorter last step.
template <class Step>
inline void over_lanes(index_t n, Step step) {
    index_t i = 0;
    for (; i + lanes <= n; i += lanes) step(i, lanes);
    if (i < n) step(i, n - i);
}

// Loads the first `count` lanes from x, the others with `missing`. (Written to compile to one masked load.)
inline void load(Lanes& lane, const real* x, index_t count, real missing = 0) {
    if (count == lanes) {
        std::memcpy(&lane, x, sizeof lane);
        return;
    }
    real each[lanes];
    GLASSBOX_VECTOR_LOOP
    for (index_t j = 0; j < lanes; ++j) each[j] = j < count ? x[j] : missing;
    std::memcpy(&lane, each, sizeof lane);
}

// Stores the first `count` lanes to y.
inline void store(const Lanes& lane, real* y, index_t count) {
    if (count == lanes) {
        std::memcpy(y, &lane, sizeof lane);
        return;
    }
    real each[lanes];
    std::memcpy(each, &lane, sizeof lane);
    GLASSBOX_VECTOR_LOOP
    for (index_t j = 0; j < lanes; ++j)
        if (j < count) y[j] = each[j];
}

// Reduces 16 lanes to one: combine(a, b) with the upper half as b, then with the upper quarter, …
template <class Combine>
inline real folded(const Lanes& all, Combine combine) {
    Lanes a = all, b;
    b = __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    combine(a, b);
    b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    combine(a, b);
    b = __builtin_shufflevector(a, a, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1);
    combine(a, b);
    b = __builtin_shufflevector(a, a, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0);
    combine(a, b);
    return a[0];
}

inline real folded_sum(const Lanes& all) {
    return folded(all, [](Lanes& a, const Lanes& b) { a += b; });
}

// NaN is ignored.
inline real folded_max(const Lanes& all) {
    return folded(all, [](Lanes& a, const Lanes& b) { a = b > a ? b : a; });
}

// Σ x_i, i < n.
inline real lane_sum(const real* x, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a;
        load(a, x + i, count);
        total += a;
    });
    return folded_sum(total);
}

// Σ x_i y_i, i < n.
inline real lane_dot(const real* x, const real* y, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a, b;
        load(a, x + i, count), load(b, y + i, count);
        total += a * b;
    });
    return folded_sum(total);
}

// max x_i, i < n: −∞ if n is 0; NaN is ignored.
inline real largest(const real* x, index_t n) {
    Lanes maxima = Lanes{} - std::numeric_limits<real>::infinity();
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a;
        load(a, x + i, count, -std::numeric_limits<real>::infinity());
        maxima = a > maxima ? a : maxima;
    });
    return folded_max(maxima);
}

// Whether no x_i is NaN or ±∞: only these give NaN when multiplied by 0.
inline bool all_finite(const real* x, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a;
        load(a, x + i, count);
        total += 0 * a;
    });
    return folded_sum(total) == 0;
}

}  // namespace glassbox
