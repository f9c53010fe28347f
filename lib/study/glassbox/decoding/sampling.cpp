#include <glassbox/decoding/sampling.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

namespace glassbox {
namespace {

using Row = std::vector<real>::const_iterator;

// The places of a row's numbers, the largest first, the first of equal ones.
std::vector<std::size_t> by_size(Row row, index_t n) {
    std::vector<std::size_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return precedes(row[static_cast<std::ptrdiff_t>(b)], row[static_cast<std::ptrdiff_t>(a)]);
    });
    return order;
}

// The logits, but −∞ outside the first count(row, order) of each row's largest, where `values` gives the
// rows.
template <class Count>
Tensor only_largest(const Tensor& logits, const Tensor& values, Count count) {
    const index_t n = logits.size(-1);
    const std::vector<real> all = values.values();
    std::vector<real> seen(all.size(), 0);
    for (std::size_t begin = 0; begin < all.size(); begin += static_cast<std::size_t>(n)) {
        const Row row = all.begin() + static_cast<std::ptrdiff_t>(begin);
        const std::vector<std::size_t> order = by_size(row, n);
        const std::size_t kept = count(row, order);
        for (std::size_t i = 0; i < kept; ++i) seen[begin + order[i]] = 1;
    }
    return masked_fill(logits, Tensor(logits.shape(), seen, logits.device()), -INFINITY);
}

}  // namespace

// logits / θ where logits > 0, else logits θ
Tensor penalised(const Tensor& logits, const std::vector<std::vector<index_t>>& tokens, double theta) {
    if (!(theta > 0)) fail("repetition penalty: needs a number above 0, got {}", theta);
    const index_t n = logits.size(-1);
    if (logits.rank() != 2 || static_cast<index_t>(tokens.size()) != logits.size(0))
        fail(
            "repetition penalty: needs logits (rows, vocabulary) and tokens of each row, got {} and {} lists",
            logits.shape(), tokens.size());
    std::vector<real> there(static_cast<std::size_t>(logits.numel()), 0);
    for (std::size_t row = 0; row < tokens.size(); ++row)
        for (const index_t token : tokens[row]) {
            if (token >= n)
                fail("repetition penalty: tokens are 0 to {}, got {} in row {}", n - 1, token, row);
            if (token >= 0) there[row * static_cast<std::size_t>(n) + static_cast<std::size_t>(token)] = 1;
        }
    const Tensor was_there(logits.shape(), there, logits.device());
    return where(was_there, where(logits > 0, logits / theta, logits * theta), logits);
}

Tensor top_k(const Tensor& logits, index_t k) {
    if (k < 1) fail("top_k: needs at least 1 word, got {}", k);
    const std::size_t kept = static_cast<std::size_t>(std::min(k, logits.size(-1)));
    return only_largest(logits, logits, [&](Row, const auto&) { return kept; });
}

Tensor top_p(const Tensor& logits, double p) {
    if (!(p > 0 && p <= 1)) fail("top_p: needs a probability above 0 and at most 1, got {}", p);
    const Tensor probabilities = [&] {
        const NoRecording silence;
        return softmax(logits);
    }();
    return only_largest(logits, probabilities, [p](Row row, const std::vector<std::size_t>& order) {
        std::size_t kept = 0;
        for (double sum = 0; kept < order.size() && !(sum >= p); ++kept)  // all of them where one is NaN
            sum += static_cast<double>(row[static_cast<std::ptrdiff_t>(order[kept])]);
        return kept;
    });
}

double uniform_draw(std::uint64_t seed, index_t step, index_t sentence) {
    const TwoWords of_seed{static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
    const TwoWords bits =
        threefry(of_seed, TwoWords{static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(sentence)});
    const std::uint64_t word = (std::uint64_t{bits.first} << 32) | bits.second;
    return static_cast<double>(word >> 11) * 0x1p-53;
}

index_t drawn(const Tensor& probabilities, double u) {
    const std::vector<real> p = probabilities.values();
    const double total = std::accumulate(p.begin(), p.end(), 0.0);  // 1, up to rounding
    double sum = 0;
    std::size_t last = 0;  // with a probability above 0
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i] > 0) last = i;
        sum += static_cast<double>(p[i]);
        if (sum > u * total) return static_cast<index_t>(i);
    }
    return static_cast<index_t>(last);
}

}  // namespace glassbox
