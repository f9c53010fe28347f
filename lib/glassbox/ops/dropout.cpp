#include <glassbox/ops/dropout.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

Dropping*& live() {
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
    : seed_(seed), step_(step), piece_(piece), outer_(live()) {
    live() = this;
}

Dropping::Dropping(const std::uint32_t* live_keys) : live_keys_(live_keys), outer_(live()) { live() = this; }

Dropping::~Dropping() { live() = outer_; }

Dropping* Dropping::current() { return live(); }

Dropping::Key Dropping::next_key() {
    if (live_keys_) return {0, 0, live_keys_ + 2 * calls_++};
    const TwoWords of_seed{static_cast<std::uint32_t>(seed_ >> 32), static_cast<std::uint32_t>(seed_)};
    const TwoWords of_step = threefry(of_seed, {step_, piece_});
    const TwoWords key = threefry(of_step, {0, calls_++});
    return {key.first, key.second, nullptr};
}

// y = x ∘ kept / (1 − p)          ∂L/∂x = ∂L/∂y ∘ kept / (1 − p): the mask is made again from its key
Tensor dropout(const Tensor& x, double p) {
    if (!(p >= 0 && p < 1)) fail("dropout: a probability in [0, 1) needed, got {}", p);
    Dropping* dropping = Dropping::current();
    if (!dropping || p == 0) return x;
    const Dropping::Key key = dropping->next_key();
    const DropoutParams params{{key.high, key.low},
                               static_cast<std::uint32_t>(p * (1 << 24)),
                               static_cast<real>(1 / (1 - p)),
                               key.live};
    auto pullback = [params](const Tensor& dy) -> Tape::Gradients { return {compute(dy, params)}; };
    return record("dropout", compute(x, params), {&x}, std::move(pullback), {{"p", p}});
}

}  // namespace glassbox
