#pragma once
#include <limits>

#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/vector_math.h>

namespace glassbox {

// The softmax of one row: p = exp(x − m) / s, m = max x, s = Σ_c exp(x_c − m). No exponential overflows.
// p may be x.
struct Softmax {
    real m, s;
};

template <class Set>
[[gnu::always_inline]] inline Softmax softmax_long_row(const real* x, real* p, index_t n) {
    using V = Vector<Set>;
    const real m = largest<Set>(x, n);
    over_registers<Set>(
        n, p, [m](const V& v) { return fast_exp_below_88(V(v - m)); }, x);
    const real s = lane_sum<Set>(p, n);
    over_registers<Set>(
        n, p, [s](const V& v) { return v / s; }, p);
    return {m, s};
}

// The same for a row that fits in one vector of lanes.
template <class Set>
[[gnu::always_inline]] inline Softmax softmax_short_row(const real* x, real* p, index_t n) {
    using V = Vector<Set>;
    const Lanes<Set> row = loaded_lanes<Set>(x, n, -std::numeric_limits<real>::infinity());
    const real m = folded(row, Max{});
    const Lanes<Set> weights = each([m](const V& v) { return fast_exp_below_88(V(v - m)); }, row);
    const real s = folded(weights, Sum{});
    store(each([s](const V& v) { return v / s; }, weights), p, n);
    return {m, s};
}

template <class Set>
[[gnu::always_inline]] inline Softmax softmax_row(const real* x, real* p, index_t n) {
    return n <= lanes ? softmax_short_row<Set>(x, p, n) : softmax_long_row<Set>(x, p, n);
}

}  // namespace glassbox
