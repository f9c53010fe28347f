#pragma once
#include <limits>

#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/vector_math.h>

namespace glassbox {

// The softmax of a row: p = exp(x − m) / s, m = max x, s = Σ_c exp(x_c − m). No exponential overflows. p may
// be x.
struct Softmax {
    real m, s;
};

template <class Set>
[[GLASSBOX_INLINED]] inline Softmax softmax_long_row(const real* x, real* p, index_t n) {
    using V = Vector<Set>;
    const real m = largest<Set>(x, n);
    over_registers<Set>(
        n, p, [m](const V& v) { return fast_exp_below_88(V(v - m)); }, x);
    const real s = lane_sum<Set>(p, n);
    over_registers<Set>(
        n, p, [s](const V& v) { return v / s; }, p);
    return {m, s};
}

// The same of a row that fits in one vector of lanes, in place; the lanes beyond it hold −∞.
template <class Set>
[[GLASSBOX_INLINED]] inline Softmax softmax_lanes(Lanes<Set>& row) {
    using V = Vector<Set>;
    const real m = folded(row, Max{});
    row = each([m](const V& v) { return fast_exp_below_88(V(v - m)); }, row);
    const real s = folded(row, Sum{});
    row = each([s](const V& v) { return v / s; }, row);
    return {m, s};
}

// All rows; then(i, softmax) is called after row i. Short rows are read and written as whole registers as
// long as those end within the array: a row is read before the one ahead of it is written, which writes
// beyond its end.
template <class Set, class Then>
[[GLASSBOX_INLINED]] inline void softmax_rows(const real* x, real* p, index_t rows, index_t n,
                                              const Then& then) {
    if (n > lanes) {
        for (index_t i = 0; i < rows; ++i, x += n, p += n) then(i, softmax_long_row<Set>(x, p, n));
        return;
    }
    constexpr real lowest = -std::numeric_limits<real>::infinity();
    const bool reaches_one_row = x != p || 2 * n >= lanes;
    const index_t whole = reaches_one_row ? rows - (lanes + n - 1) / n : -1;  // the last row of that kind
    const auto loaded_row = [&](index_t i) {
        return i <= whole ? first_lanes<Set>(x + i * n, n, lowest) : loaded_lanes<Set>(x + i * n, n, lowest);
    };
    Lanes<Set> next = {};
    if (rows > 0) next = loaded_row(0);
    for (index_t i = 0; i < rows; ++i) {
        Lanes<Set> row = next;
        if (i + 1 < rows) next = loaded_row(i + 1);
        const Softmax softmax = softmax_lanes<Set>(row);
        store(row, p + i * n, i <= whole ? lanes : n);
        then(i, softmax);
    }
}

}  // namespace glassbox
