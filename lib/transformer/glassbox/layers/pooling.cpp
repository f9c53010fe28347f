#include <glassbox/layers/pooling.h>

#include <limits>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::pooling;

// [CLS] ‖ h
Tensor with_cls(const Tensor& token, const Tensor& h) {
    const Tensor row = broadcast_to(token, h.shape().with(-2, 1));  // (…, 1, d)
    return named(step::cls, concat({row, h}, -2));                  // (…, 1 + T, d)
}

namespace {

// 1 for real elements, 0 for padding: (batch, 1, …, T, 1) for h (batch, …, T, d).
Tensor real_elements(const Tensor& h, const Mask& mask) {
    const Mask padding = Mask::lengths_from(mask.lengths());
    return transpose(padding.visible(h.shape().with(-1, h.size(-2)).with(-2, 1), h.device()));
}

// (1/n) Σ_t h_t,  n the number of real elements
Tensor mean_of(const Tensor& h, const Mask& mask) {
    if (!mask.has_lengths()) return mean(h, -2);  // (…, d)
    const Tensor seen = real_elements(h, mask);   // (…, T, 1)
    return sum(h * seen, -2) / sum(seen, -2);     // (…, d); 0/0, NaN, for a length of 0
}

// max_t h_t
Tensor max_of(const Tensor& h, const Mask& mask) {
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    return max(mask.has_lengths() ? masked_fill(h, real_elements(h, mask), lowest) : h, -2);  // (…, d)
}

// h_{n−1} = Σ_t h_t (r_t − r_{t+1}),  r_t 1 for real elements, then 0
Tensor last_of(const Tensor& h, const Mask& mask) {
    if (!mask.has_lengths()) return select(h, -2, h.size(-2) - 1);  // (…, d)
    const Tensor seen = real_elements(h, mask);                     // (…, T, 1)
    const Tensor after = slice(seen, -2, 1, seen.size(-2));         // (…, T − 1, 1)
    const Tensor none = slice(seen, -2, 0, 1) * 0.0;                // (…, 1, 1)
    return sum(h * (seen - concat({after, none}, -2)), -2);         // (…, d)
}

}  // namespace

Tensor pooled(const Tensor& h, Pooling pooling, const Mask& mask) {
    if (h.rank() < 2) fail("pooling: needs h of shape (…, T, d), got {}", h.shape());
    if (h.size(-2) == 0) fail("predictor: an empty sequence has no {}", name(pooling));
    switch (pooling) {
        case Pooling::mean:
            return named(step::mean, mean_of(h, mask));
        case Pooling::max:
            return named(step::max, max_of(h, mask));
        case Pooling::cls:
            return named(step::first, select(h, -2, 0));
        case Pooling::last:
            return named(step::last, last_of(h, mask));
        case Pooling::none:
            break;
    }
    fail("pooling: needs mean, max, cls or last, got {}", name(pooling));
}

}  // namespace glassbox
