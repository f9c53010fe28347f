#include <glassbox/layers/online_softmax.h>

#include <limits>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::online_softmax;

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// The maximum to subtract: 0 instead of −∞, because exp(−∞ + ∞) would be NaN.
Tensor finite(const Tensor& m) { return where(m < std::numeric_limits<real>::lowest(), 0.0, m); }

struct Pairs {
    Tensor m, s;
};

}  // namespace

// m_b = max x,  s_b = Σ exp(x − m_b)            of block b
// m ← max(m, m_b),  s ← s exp(m_before − m) + s_b exp(m_b − m)
// softmax(x) = exp(x − m) / s
//
// Normalising needs only a running maximum and sum, not the complete row: two pairs of them can be merged.
Tensor online_softmax(const Tensor& row, index_t size) {
    if (size < 1) fail("online_softmax: needs blocks of at least 1 number, got {}", size);
    if (row.rank() < 1 || row.size(-1) < 1)
        fail("online_softmax: needs rows of at least 1 number, got {}", row.shape());
    const index_t n = row.size(-1), B = (n + size - 1) / size;
    Tensor x = named(step::x, row);  // (…, n)
    Tensor padded = x;               // (…, B · size)
    if (const index_t padding = B * size - n)
        padded =
            concat({x, Tensor::full(x.shape().with(-1, padding), static_cast<real>(hidden), x.device())}, -1);
    Tensor blocks = reshape(padded, x.shape().with(-1, B).with_appended(size));  // (…, B, size)
    const Pairs block = [&] {
        const Scope scope("block");
        Tensor m = named(step::block_m, max(blocks, -1));  // (…, B)
        const Tensor shift = reshape(finite(m), m.shape().with_appended(1));
        return Pairs{m, named(step::block_s, sum(exp(blocks - shift), -1))};  // (…, B)
    }();
    const auto at = [](const Tensor& all, index_t b) { return slice(all, -1, b, b + 1); };  // (…, 1)
    const Pairs merged = [&] {
        const Scope scope("merged");
        std::vector<Tensor> so_far{at(block.m, 0)};
        for (index_t b = 1; b < B; ++b)
            so_far.push_back(max(concat({so_far.back(), at(block.m, b)}, -1), -1, true));
        Tensor m = named(step::merged_m, concat(so_far, -1));  // (…, B)
        const Tensor shift = finite(m);
        so_far = {at(block.s, 0)};
        for (index_t b = 1; b < B; ++b)
            so_far.push_back(so_far.back() * exp(at(m, b - 1) - at(shift, b)) +
                             at(block.s, b) * exp(at(block.m, b) - at(shift, b)));
        return Pairs{m, named(step::merged_s, concat(so_far, -1))};  // (…, B)
    }();
    const Tensor m = at(merged.m, B - 1), s = at(merged.s, B - 1);
    return named(step::softmax, exp(x - finite(m)) / s);  // rows sum to 1
}

}  // namespace glassbox
