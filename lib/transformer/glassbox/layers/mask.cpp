#include <glassbox/layers/mask.h>

#include <algorithm>

#include <glassbox/backend/recording.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/detail/integers.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

Mask Mask::causal() {
    Mask mask;
    mask.causal_ = true;
    return mask;
}

Mask Mask::lengths(const std::vector<index_t>& lengths) {
    if (lengths.empty()) fail("mask: needs at least one length");
    for (index_t length : lengths)
        if (length < 0) fail("mask: a length must not be negative, got {}", length);
    Mask mask;
    mask.lengths_ = Tensor({static_cast<index_t>(lengths.size())}, {lengths.begin(), lengths.end()});
    mask.longest_ = *std::max_element(lengths.begin(), lengths.end());
    return mask;
}

Mask Mask::lengths_from(const Tensor& lengths) {
    if (lengths.rank() != 1 || lengths.numel() == 0)
        fail("mask: needs lengths of shape (batch), got {}", lengths.shape());
    Mask mask;
    mask.lengths_ = lengths;
    if (Recording::is_on()) return mask;
    const std::vector<real> values = lengths.values();
    if (const auto wrong = first_non_integer(Tensor(lengths.shape(), values), 0, max_exact_integer))
        fail("mask: a length is a whole number of at least 0, got {} at {}", wrong->value, wrong->place);
    mask.longest_ = static_cast<index_t>(*std::max_element(values.begin(), values.end()));
    return mask;
}

Mask Mask::window(index_t reach) {
    if (reach < 0) fail("mask: a window reaches at least 0 positions, got {}", reach);
    Mask mask;
    mask.reach_ = reach;
    return mask;
}

void Mask::check_given(const Shape& mask) {
    if (mask.rank() < 2 || mask.rank() > 4)
        fail(
            "mask: expected 2, 3 or 4 axes, (n_q, n_k), (batch, n_q, n_k) or (batch, heads, n_q, n_k), got "
            "{}",
            mask);
}

Mask Mask::given(const Tensor& given) {
    check_given(given.shape());
    for (real value : given.values())
        if (value != 0 && value != 1) fail("mask: expected only 0 (hidden) and 1 (seen), got {}", value);
    Mask mask;
    mask.given_ = {given};
    return mask;
}

namespace {
// The shorter of two lengths for each batch entry; a single length applies to all.
Mask shorter(const Mask& a, const Mask& b) {
    const std::vector<real> of_a = a.lengths().values(), of_b = b.lengths().values();
    if (of_a.size() != of_b.size() && of_a.size() != 1 && of_b.size() != 1)
        fail("mask: lists of {} and of {} lengths cannot be combined", of_a.size(), of_b.size());
    std::vector<index_t> both;
    for (std::size_t i = 0; i < std::max(of_a.size(), of_b.size()); ++i)
        both.push_back(
            static_cast<index_t>(std::min(of_a[of_a.size() == 1 ? 0 : i], of_b[of_b.size() == 1 ? 0 : i])));
    return Mask::lengths(both);
}
}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
    Mask both = a;
    both.causal_ = a.causal_ || b.causal_;
    both.first_ = std::max(a.first_, b.first_);
    if (b.has_lengths()) {
        const Mask padding = a.has_lengths() ? shorter(a, b) : b;
        both.lengths_ = padding.lengths_;
        both.longest_ = padding.longest_;
    }
    if (b.reach_) both.reach_ = a.reach_ ? std::min(*a.reach_, *b.reach_) : b.reach_;
    both.given_.insert(both.given_.end(), b.given_.begin(), b.given_.end());
    return both;
}

namespace {
// (batch, n_q, n_k) has no head axis: axes of size 1 are inserted after its batch axis.
Shape expanded(const Shape& given, const Shape& scores) {
    if (given.rank() != 3 || scores.rank() <= 3) return given;
    std::vector<index_t> sizes(static_cast<std::size_t>(scores.rank()), 1);
    sizes[0] = given[0];
    sizes[sizes.size() - 2] = given[1];
    sizes[sizes.size() - 1] = given[2];
    return Shape(sizes);
}

Tensor expanded(const Tensor& given, const Shape& scores) {
    Mask::check_fits(given.shape(), scores);
    const Shape shape = expanded(given.shape(), scores);
    return shape == given.shape() ? given : reshape(given, shape);
}
}  // namespace

void Mask::check_fits(const Shape& mask, const Shape& scores) {
    check_broadcasts_to("mask", "a mask", expanded(mask, scores), scores);
}

Mask Mask::with_prepended_token() const {
    if (causal_ || reach_) fail("mask: a causal or window mask cannot take a token in front");
    const NoRecording silence;
    Mask mask = *this;
    if (has_lengths()) {
        mask.lengths_ = lengths_ + 1;
        mask.longest_ = longest_ + 1;
    }
    for (Tensor& given : mask.given_) {
        const Tensor column = Tensor::ones(given.shape().with(-1, 1));
        given = concat({column, given.to(Device::cpu)}, -1);
        given = concat({Tensor::ones(given.shape().with(-2, 1)), given}, -2);
    }
    return mask;
}

Mask Mask::of_keys() const {
    Mask mask;
    mask.lengths_ = lengths_;
    mask.longest_ = longest_;
    const NoRecording silence;
    for (const Tensor& given : given_) {
        const Tensor by_head = max(given, -2, true);  // (…, 1, n_k): 1 where any query sees the key
        mask.given_.push_back(given.rank() < 4 ? by_head : max(by_head, 1, true));
    }
    return mask;
}

Mask Mask::from(index_t first) const {
    if (first < 0) fail("mask: the first query is at position 0 or later, got {}", first);
    Mask mask = *this;
    mask.first_ = first;
    return mask;
}

// Behind a cache the keys are those before the queries and their own.
void Mask::check_first(const Shape& scores) const {
    if (first_ > 0 && (causal_ || reach_) && first_ + scores[-2] > scores[-1])
        fail("mask: from({}): {} queries from position {} on need {} keys, got {}: scores have shape {}",
             first_, scores[-2], first_, first_ + scores[-2], scores[-1], scores);
}

Tensor Mask::window_part(index_t n_q, index_t n_k) const {
    Tensor seen = Tensor::zeros({n_q, n_k});
    View out = seen.writable();
    for (index_t i = 0; i < n_q; ++i)
        for (index_t j = std::max<index_t>(0, first_ + i - *reach_); j < n_k && j - first_ - i <= *reach_;
             ++j)
            out.data[i * n_k + j] = 1;
    return seen;
}

Tensor Mask::given_part(const Shape& scores) const {
    Tensor product = expanded(given_[0], scores).to(Device::cpu);
    for (std::size_t i = 1; i < given_.size(); ++i)
        product = product * expanded(given_[i], scores).to(Device::cpu);
    return product;
}

Tensor Mask::lengths_by_batch(const Shape& scores) const {
    const index_t batch = scores.rank() > 2 ? scores[0] : 1, count = lengths_.numel();
    if (count != 1 && count != batch)
        fail("mask: {} lengths for a batch of {}: scores have shape {}", count, batch, scores);
    if (longest_ > scores[-1]) fail("mask: length {} exceeds the {} keys", longest_, scores[-1]);
    std::vector<index_t> sizes(static_cast<std::size_t>(std::max(0, scores.rank() - 2)), 1);
    if (!sizes.empty()) sizes[0] = count;
    return reshape(lengths_, Shape(sizes));
}

Tensor Mask::causal_part(index_t n_q, index_t n_k) const {
    Tensor seen = Tensor::ones({n_q, n_k});
    View out = seen.writable();
    for (index_t i = 0; i < n_q; ++i)
        for (index_t j = first_ + i + 1; j < n_k; ++j) out.data[i * n_k + j] = 0;
    return seen;
}

Tensor Mask::padding_part(const Shape& scores) const {
    const index_t n_k = scores[-1];
    const Tensor lengths = lengths_by_batch(scores);
    Tensor seen = Tensor::empty(lengths.shape().with_appended(1).with_appended(n_k));
    View out = seen.writable();
    index_t at = 0;
    for (real length : lengths.values())
        for (index_t j = 0; j < n_k; ++j)
            out.data[at++] = j < static_cast<index_t>(length) ? real(1) : real(0);
    return seen;
}

std::vector<Mask::Part> Mask::parts(const Shape& scores) const {
    const NoRecording silence;  // a mask is not a step of the computation, and has no gradient
    check_first(scores);
    const index_t n_q = scores[-2], n_k = scores[-1];
    std::vector<Part> parts;
    if (causal_) parts.push_back({&steps::mask::causal, causal_part(n_q, n_k)});
    if (has_lengths()) parts.push_back({&steps::mask::padding, padding_part(scores)});
    if (reach_) parts.push_back({&steps::mask::window, window_part(n_q, n_k)});
    if (!given_.empty()) parts.push_back({&steps::mask::given, given_part(scores)});
    return parts;
}

Tensor Mask::visible(const Shape& scores, Device device) const {
    const NoRecording silence;
    Tensor visible = Tensor::ones({scores[-2], scores[-1]});
    for (const Part& part : parts(scores)) visible = visible * part.visible;
    return visible.to(device);
}

// visible = causal ∘ padding ∘ window ∘ given
Tensor Mask::visible_by_steps(const Shape& scores) const {
    Tensor visible = Tensor::ones({scores[-2], scores[-1]});
    for (const Part& part : parts(scores)) visible = visible * named(*part.step, part.visible);
    return named(steps::mask::visible, visible);
}

Tensor Mask::fill(const Tensor& scores, double value) const {
    return masked_fill(scores, visible(scores.shape(), scores.device()), value);
}

void Mask::describe(AttentionOptions& options, const Shape& scores, Device device) const {
    const NoRecording silence;
    check_first(scores);
    options.causal = causal_ && first_ == 0;
    if (has_lengths()) options.lengths = lengths_by_batch(scores).to(device);
    Tensor visible;
    const auto combine = [&](const Tensor& part) { visible = visible.defined() ? visible * part : part; };
    if (causal_ && first_ > 0 && first_ + 1 < scores[-1]) combine(causal_part(scores[-2], scores[-1]));
    if (reach_) combine(window_part(scores[-2], scores[-1]));
    if (!given_.empty()) combine(given_part(scores));
    if (visible.defined()) options.visible = visible.to(device);
}

}  // namespace glassbox
