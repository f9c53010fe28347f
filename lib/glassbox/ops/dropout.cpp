#include <glassbox/ops/dropout.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

Dropping*& innermost() {
    static thread_local Dropping* dropping = nullptr;
    return dropping;
}

Tensor compute(const Tensor& x, const DropoutParams& params) {
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).dropout(x.view(), params, y.writable());
    return y;
}

}  // namespace

Dropping::Dropping(std::uint64_t seed, std::uint32_t step, std::uint32_t piece)
    : seed_(seed), step_(step), piece_(piece), outer_(innermost()) {
    innermost() = this;
}

Dropping::Dropping(std::span<const TwoWords> keys_there)
    : keys_there_(keys_there), are_there_(true), outer_(innermost()) {
    innermost() = this;
}

Dropping::~Dropping() { innermost() = outer_; }

Dropping* Dropping::current() { return innermost(); }

Live<TwoWords> Dropping::next_key() {
    if (are_there_) {
        if (calls_ == keys_there_.size())
            fail<NotRecordable>("dropout: {} keys lie on the device, and this is one dropout more", calls_);
        return {{}, &keys_there_[calls_++]};
    }
    const TwoWords of_seed{static_cast<std::uint32_t>(seed_ >> 32), static_cast<std::uint32_t>(seed_)};
    const TwoWords of_step = threefry(of_seed, {step_, piece_});
    return {threefry(of_step, {0, calls_++})};
}

// y = x ∘ kept / (1 − p)          ∂L/∂x = ∂L/∂y ∘ kept / (1 − p): the mask is made again from its key
Tensor dropout(const Tensor& x, double p) {
    if (!(p >= 0 && p < 1)) fail("dropout: a probability in [0, 1) needed, got {}", p);
    Dropping* dropping = Dropping::current();
    if (!dropping || p == 0) return x;
    const DropoutParams params{dropping->next_key(), static_cast<std::uint32_t>(p * (1 << 24)),
                               static_cast<real>(1 / (1 - p))};
    auto pullback = [params](const Tensor& dy) -> Tape::Gradients { return {compute(dy, params)}; };
    return record("dropout", compute(x, params), {&x}, std::move(pullback), {{"p", p}});
}

}  // namespace glassbox
