#pragma once
#include <algorithm>

#include <glassbox/ops/ops.h>

// Masks by the distance of a key from a query, and by one key more or less.
namespace glassbox::wrong {

inline constexpr index_t everything = index_t{1} << 30;  // further than any key

// 1 where −before ≤ j − i ≤ after, else 0: (n_q, n_k)
inline Tensor band(index_t n_q, index_t n_k, index_t before, index_t after) {
    std::vector<real> seen;
    for (index_t i = 0; i < n_q; ++i)
        for (index_t j = 0; j < n_k; ++j) seen.push_back(-before <= j - i && j - i <= after ? 1 : 0);
    return Tensor({n_q, n_k}, seen);
}
// The same in the size of a mask or of scores.
inline Tensor band_like(const Tensor& x, index_t before, index_t after) {
    return band(x.size(-2), x.size(-1), before, after).to(x.device());
}
inline bool is_band(const Tensor& mask, index_t before, index_t after) {
    return mask.numel() == mask.size(-2) * mask.size(-1) &&
           mask.values() == band(mask.size(-2), mask.size(-1), before, after).values();
}

// Column j of a mask in the place of column j + 1; the first or the last column is 0.
inline Tensor to_later_keys(const Tensor& mask) {
    const Tensor empty = Tensor::zeros(mask.shape().with(-1, 1), mask.device());
    return concat({empty, slice(mask, -1, 0, mask.size(-1) - 1)}, -1);
}
inline Tensor to_earlier_keys(const Tensor& mask) {
    const Tensor empty = Tensor::zeros(mask.shape().with(-1, 1), mask.device());
    return concat({slice(mask, -1, 1, mask.size(-1)), empty}, -1);
}
// One key more: seen where key j or the one before it is.
inline Tensor widened(const Tensor& mask) { return 1 - (1 - mask) * (1 - to_later_keys(mask)); }
// One key less: seen where key j and the one after it are.
inline Tensor narrowed(const Tensor& mask) { return mask * to_earlier_keys(mask); }

}  // namespace glassbox::wrong
