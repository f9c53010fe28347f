#pragma once
#include <algorithm>
#include <limits>

#include <glassbox/tensor/real.h>

namespace glassbox {

// Sums and maxima in 16 lanes, because a compiler may not reorder them by itself. The order is the same on
// every machine.
constexpr index_t lanes = 16;

// Σ term(i), i < n.
template <class Term>
inline real lane_sum(index_t n, Term term) {
    real lane[lanes] = {};
    index_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (index_t j = 0; j < lanes; ++j) lane[j] += term(i + j);
    for (index_t j = 0; i + j < n; ++j) lane[j] += term(i + j);
    for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t j = 0; j < half; ++j) lane[j] += lane[j + half];
    return lane[0];
}

// max x_i, i < n: −∞ when there is none; NaN does not count.
inline real largest(const real* x, index_t n) {
    real lane[lanes];
    for (real& m : lane) m = -std::numeric_limits<real>::infinity();
    index_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (index_t j = 0; j < lanes; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    for (index_t j = 0; i + j < n; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    for (index_t half = lanes / 2; half > 0; half /= 2)
        for (index_t j = 0; j < half; ++j) lane[j] = lane[j + half] > lane[j] ? lane[j + half] : lane[j];
    return lane[0];
}

}  // namespace glassbox
