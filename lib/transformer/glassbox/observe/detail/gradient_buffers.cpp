#include <glassbox/observe/detail/gradient_buffers.h>

#include <algorithm>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {
namespace {

// Whether the gradient is the buffer itself, possibly under another id.
bool is_buffer(const Tensor& buffer, const Tensor& gradient) {
    return gradient.shares_storage_with(buffer) && gradient.data() == buffer.data() &&
           gradient.shape() == buffer.shape() && gradient.contiguous();
}

// A gradient that aliases the buffer's storage is copied, because it must not change while it is read.
Tensor without_aliasing(const Tensor& buffer, const Tensor& gradient) {
    if (!gradient.shares_storage_with(buffer)) return gradient;
    Tensor copy = Tensor::empty(gradient.shape(), gradient.device());
    backend(gradient.device()).copy(gradient.view(), copy.writable());
    return copy;
}

void check_fits(const Tensor& buffer, const Tensor& x) {
    if (buffer.shape() != x.shape() || buffer.device() != x.device())
        fail("gradient buffers: a buffer of shape {} on {} for a gradient of shape {} on {}", buffer.shape(),
             name(buffer.device()), x.shape(), name(x.device()));
}

}  // namespace

GradientBuffers*& active_gradient_buffers() {
    static thread_local GradientBuffers* buffers = nullptr;
    return buffers;
}

GradientBuffers::GradientBuffers(const std::vector<std::pair<Tensor::Id, Tensor>>& ids_and_buffers) {
    for (const auto& [id, buffer] : ids_and_buffers) {
        if (!buffer.contiguous())
            fail("gradient buffers: need contiguous buffers, the one of shape {} has gaps", buffer.shape());
        sorted_.emplace_back(id, entries_.size());
        entries_.push_back({buffer});
    }
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (sorted_[i].first == sorted_[i - 1].first)
            fail("gradient buffers: one buffer per tensor, buffers {} and {} are for the same one",
                 sorted_[i - 1].second, sorted_[i].second);
}

void GradientBuffers::begin() {
    for (Entry& entry : entries_) entry.state = State::empty;
}

void GradientBuffers::finish() {
    for (Entry& entry : entries_) {
        if (entry.state == State::written) continue;
        backend(entry.buffer.device()).fill(mutable_view(entry.buffer), 0);
        entry.state = State::written;
    }
}

// Parameters created one after another have consecutive ids, so the first guess is usually right.
GradientBuffers::Entry* GradientBuffers::find(Tensor::Id id) {
    if (sorted_.empty() || id < sorted_.front().first || id > sorted_.back().first) return nullptr;
    const std::size_t guess = id - sorted_.front().first;
    if (guess < sorted_.size() && sorted_[guess].first == id) return &entries_[sorted_[guess].second];
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(id, std::size_t{0}));
    return found->first == id ? &entries_[found->second] : nullptr;
}

const Tensor* GradientBuffers::find_written(Tensor::Id id) const {
    const Entry* entry = find(id);
    return entry && entry->state == State::written ? &entry->buffer : nullptr;
}

// Each buffer is lent at most once: an op that takes x as two of its inputs asks for two gradients.
Tensor GradientBuffers::lend(const Tensor& x) {
    Entry* entry = find(x.id());
    if (!entry || entry->state != State::empty) return Tensor::empty(x.shape(), x.device());
    check_fits(entry->buffer, x);
    entry->state = State::lent;
    return entry->buffer;
}

void GradientBuffers::take_back(Tensor::Id id, const Tensor& gradient) {
    Entry* entry = find(id);
    if (entry && entry->state == State::lent && is_buffer(entry->buffer, gradient))
        entry->state = State::returned;
}

bool GradientBuffers::add(Tensor::Id id, const Tensor& gradient) {
    Entry* entry = find(id);
    if (!entry) return false;
    Tensor& buffer = entry->buffer;
    check_fits(buffer, gradient);
    if (entry->state == State::returned && is_buffer(buffer, gradient)) {
        entry->state = State::written;  // it was computed in place
        return true;
    }
    const Tensor other = without_aliasing(buffer, gradient);
    if (entry->state == State::returned || entry->state == State::written) {
        backend(buffer.device()).binary(Binary::add, buffer.view(), other.view(), mutable_view(buffer));
    } else {
        backend(buffer.device()).copy(other.view(), mutable_view(buffer));
        entry->state = State::written;
    }
    return true;
}

Tensor* GradientBuffers::filled(const Tensor& x) {
    Entry* entry = find(x.id());
    if (!entry || entry->state != State::written) return nullptr;
    check_fits(entry->buffer, x);
    return &entry->buffer;
}

Tensor gradient_buffer(const Tensor& x) {
    GradientBuffers* buffers = active_gradient_buffers();
    return buffers ? buffers->lend(x) : Tensor::empty(x.shape(), x.device());
}

Tensor* filled_gradient_buffer(const Tensor& x) {
    GradientBuffers* buffers = active_gradient_buffers();
    return buffers ? buffers->filled(x) : nullptr;
}

}  // namespace glassbox::detail
