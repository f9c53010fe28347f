#pragma once
#include <cstring>
#include <limits>

#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/vector_math.h>

namespace glassbox {

// The softmax of one row: p = exp(x − m) / s, m = max x, s = Σ_c exp(x_c − m). No exponential overflows.
// p may be x.
struct Softmax {
    real m, s;
};

[[gnu::always_inline]] inline Softmax softmax_long_row(const real* x, real* p, index_t n) {
    const real m = largest(x, n);
    for (index_t c = 0; c < n; ++c) p[c] = fast_exp_below_88(x[c] - m);
    const real s = lane_sum(p, n);
    for (index_t c = 0; c < n; ++c) p[c] /= s;
    return {m, s};
}

// The same for a row that fits in one vector of lanes.
[[gnu::always_inline]] inline Softmax softmax_short_row(const real* x, real* p, index_t n) {
    Lanes row;
    load(row, x, n, -std::numeric_limits<real>::infinity());
    const real m = folded_max(row);
    real weights[lanes];
    std::memcpy(weights, &row, sizeof row);
    for (index_t c = 0; c < lanes; ++c) weights[c] = fast_exp_below_88(weights[c] - m);
    std::memcpy(&row, weights, sizeof row);
    const real s = folded_sum(row);
    row /= s;
    store(row, p, n);
    return {m, s};
}

[[gnu::always_inline]] inline Softmax softmax_row(const real* x, real* p, index_t n) {
    return n <= lanes ? softmax_short_row(x, p, n) : softmax_long_row(x, p, n);
}

}  // namespace glassbox
