#pragma once
#include <cstring>
#include <limits>

#include <glassbox/tensor/real.h>

namespace glassbox {

// Sums and maxima of a row in 16 lanes side by side: a compiler may not change the order of additions by
// itself, and keeps one after the other. The order is the same on every machine.
constexpr index_t lanes = 16;
typedef real Lanes __attribute__((vector_size(lanes * sizeof(real))));

// Calls step(i, count) for i = 0, lanes, 2 · lanes, …; count = lanes but for a shorter last one.
template <class Step>
inline void over_lanes(index_t n, Step step) {
    index_t i = 0;
    for (; i + lanes <= n; i += lanes) step(i, lanes);
    if (i < n) step(i, n - i);
}

inline void load(Lanes& lane, const real* x, index_t count) {
    std::memcpy(&lane, x, static_cast<std::size_t>(count) * sizeof(real));
}

// The 16 lanes as numbers of their own. (A copy: what is indexed does not stay in a register.)
struct Unpacked {
    explicit Unpacked(const Lanes& packed) { std::memcpy(lane, &packed, sizeof lane); }
    real lane[lanes];
};

// Σ of the 16 lanes, in pairs.
inline real folded_sum(const Lanes& packed) {
    Unpacked sum(packed);
    for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t j = 0; j < half; ++j) sum.lane[j] += sum.lane[j + half];
    return sum.lane[0];
}

// Σ x_i, i < n.
inline real lane_sum(const real* x, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a = {};
        load(a, x + i, count);
        total += a;
    });
    return folded_sum(total);
}

// Σ x_i y_i, i < n.
inline real lane_dot(const real* x, const real* y, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a = {}, b = {};
        load(a, x + i, count), load(b, y + i, count);
        total += a * b;
    });
    return folded_sum(total);
}

// max x_i, i < n: −∞ when there is none; NaN does not count.
inline real largest(const real* x, index_t n) {
    Lanes most = Lanes{} - std::numeric_limits<real>::infinity();
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a = Lanes{} - std::numeric_limits<real>::infinity();
        load(a, x + i, count);
        most = a > most ? a : most;
    });
    Unpacked highest(most);
    for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t j = 0; j < half; ++j)
            highest.lane[j] =
                highest.lane[j + half] > highest.lane[j] ? highest.lane[j + half] : highest.lane[j];
    return highest.lane[0];
}

// Whether no x_i is NaN or ±∞, which times 0 is NaN; every other number times 0 is 0.
inline bool all_finite(const real* x, index_t n) {
    Lanes total = {};
    over_lanes(n, [&](index_t i, index_t count) {
        Lanes a = {};
        load(a, x + i, count);
        total += 0 * a;
    });
    return folded_sum(total) == 0;
}

}  // namespace glassbox
