#include <glassbox/ops/dropout.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

DropoutScope*& innermost() {
    static thread_local DropoutScope* dropping = nullptr;
    return dropping;
}

// p of the 2²⁴ values that a word's upper 24 bits have is rounded down to a whole number, so that a little
// more is kept than 1 − p. Near p = 1 that is a large part of it, and the scale is that of the kept share;
// below 0.99 it is less than 10⁻⁵ of it, and the scale is 1 / (1 − p), as elsewhere.
DropoutParams params_of(const Live<TwoWords>& key, double p) {
    constexpr double values = 1 << 24;
    const auto dropped = static_cast<std::uint32_t>(p * values);
    const double kept = p < 0.99 ? 1 - p : 1 - dropped / values;
    return {key, dropped, static_cast<real>(1 / kept)};
}

Tensor compute(const Tensor& x, const DropoutParams& params) {
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).dropout(x.view(), params, y.writable());
    return y;
}

}  // namespace

DropoutScope::DropoutScope(std::uint64_t seed, std::uint32_t step, std::uint32_t piece)
    : seed_(seed), step_(step), piece_(piece), outer_(innermost()) {
    innermost() = this;
}

DropoutScope::DropoutScope(std::span<const TwoWords> device_keys)
    : device_keys_(device_keys), on_device_(true), outer_(innermost()) {
    innermost() = this;
}

DropoutScope::~DropoutScope() { innermost() = outer_; }

DropoutScope* DropoutScope::current() { return innermost(); }

Live<TwoWords> DropoutScope::next_key() {
    if (on_device_) {
        if (calls_ == device_keys_.size())
            fail<NotRecordable>("dropout: the device has {} keys, and this is dropout {}", calls_,
                                calls_ + 1);
        return {{}, &device_keys_[calls_++]};
    }
    const TwoWords of_seed{static_cast<std::uint32_t>(seed_ >> 32), static_cast<std::uint32_t>(seed_)};
    const TwoWords of_step = threefry(of_seed, {step_, piece_});
    return {threefry(of_step, {0, calls_++})};
}

// y = x ∘ kept / (1 − p)          ∂L/∂x = ∂L/∂y ∘ kept / (1 − p), with the mask regenerated from its key
Tensor dropout(const Tensor& x, double p) {
    if (!(p >= 0 && p < 1)) fail("dropout: needs a probability in [0, 1), got {}", p);
    DropoutScope* dropping = DropoutScope::current();
    if (!dropping || p == 0) return x;
    const DropoutParams params = params_of(dropping->next_key(), p);
    auto pullback = [params](const Tensor& dy) -> Tape::Gradients { return {compute(dy, params)}; };
    return record("dropout", compute(x, params), {&x}, std::move(pullback), {{"p", p}});
}

}  // namespace glassbox
