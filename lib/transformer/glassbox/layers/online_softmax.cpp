#include <glassbox/layers/online_softmax.h>

#include <limits>

#include <glassbox/observe/scope.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::online_softmax;

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// The maximum to subtract: 0 instead of −∞, because exp(−∞ + ∞) would be NaN.
Tensor finite(const Tensor& m) {
    std::vector<real> seen;
    for (const real each : m.values()) seen.push_back(each == static_cast<real>(hidden) ? real(0) : real(1));
    return masked_fill(m, Tensor(m.shape(), seen, m.device()), 0);
}

}  // namespace

// m_b = max x,  s_b = Σ exp(x − m_b)            of block b
// m ← max(m, m_b),  s ← s exp(m_before − m) + s_b exp(m_b − m)
// softmax(x) = exp(x − m) / s
//
// Normalising needs only a running maximum and sum, not the complete row: two pairs of them can be merged.
Tensor online_softmax(const Tensor& row, index_t size) {
    if (size < 1) fail("online_softmax: blocks of at least 1 number needed, got {}", size);
    if (row.rank() < 1 || row.size(-1) < 1)
        fail("online_softmax: rows of at least 1 number needed, got {}", row.shape());
    const index_t n = row.size(-1), B = (n + size - 1) / size;
    Tensor x = named(step::x, row);  // (…, n)
    Tensor padded = x;               // (…, B · size)
    if (const index_t padding = B * size - n)
        padded =
            concat({x, Tensor::full(x.shape().with(-1, padding), static_cast<real>(hidden), x.device())}, -1);
    Tensor blocks = reshape(padded, x.shape().with(-1, B).with_appended(size));  // (…, B, size)
    const auto [block_m, block_s] = [&] {
        const Scope scope("block");
        Tensor m = named(step::block_m, max(blocks, -1, true));                   // (…, B, 1)
        Tensor s = named(step::block_s, sum(exp(blocks - finite(m)), -1, true));  // (…, B, 1)
        return std::pair{m, s};
    }();
    Tensor m = slice(block_m, -2, 0, 1), s = slice(block_s, -2, 0, 1);  // (…, 1, 1), of the blocks so far
    std::vector<Tensor> all_m{m}, all_s{s};
    for (index_t b = 1; b < B; ++b) {
        const Tensor m_b = slice(block_m, -2, b, b + 1), s_b = slice(block_s, -2, b, b + 1);
        const Tensor before = m;
        m = max(concat({before, m_b}, -1), -1, true);
        s = s * exp(before - finite(m)) + s_b * exp(m_b - finite(m));
        all_m.push_back(m), all_s.push_back(s);
    }
    {
        const Scope scope("merged");
        (void)named(step::merged_m, concat(all_m, -2));  // (…, B, 1)
        (void)named(step::merged_s, concat(all_s, -2));  // (…, B, 1)
    }
    const Shape one = x.shape().with(-1, 1);
    return named(step::softmax, exp(x - finite(reshape(m, one))) / reshape(s, one));  // rows sum to 1
}

}  // namespace glassbox
