#include <glassbox/ops/dropout.h>

#include <glassbox/ops/check.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/random/threefry.h>

namespace glassbox {
namespace {

Dropping*& live() {
    static thread_local Dropping* dropping = nullptr;
    return dropping;
}

// The mask, already divided by 1 − p: element i is kept when 24 random bits of counter i are ≥ p · 2²⁴.
Tensor kept(const Shape& shape, double p, Dropping::Key key, Device device) {
    const std::uint32_t least = static_cast<std::uint32_t>(p * (1 << 24));
    std::vector<real> mask(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < mask.size(); ++i) {
        const TwoWords counter{static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i)};
        const std::uint32_t bits = threefry({key.high, key.low}, counter).first >> 8;
        mask[i] = bits < least ? real(0) : static_cast<real>(1 / (1 - p));
    }
    return Tensor(shape, mask, device);
}

}  // namespace

Dropping::Dropping(std::uint64_t seed, std::uint32_t step, std::uint32_t piece)
    : seed_(seed), step_(step), piece_(piece), outer_(live()) {
    live() = this;
}

Dropping::~Dropping() { live() = outer_; }

Dropping* Dropping::current() { return live(); }

Dropping::Key Dropping::next_key() {
    const TwoWords of_seed{static_cast<std::uint32_t>(seed_ >> 32), static_cast<std::uint32_t>(seed_)};
    const TwoWords of_step = threefry(of_seed, {step_, piece_});
    const TwoWords key = threefry(of_step, {0, calls_++});
    return {key.first, key.second};
}

// y = x ∘ kept / (1 − p)          ∂L/∂x = ∂L/∂y ∘ kept / (1 − p)
Tensor dropout(const Tensor& x, double p) {
    if (!(p >= 0 && p < 1)) fail("dropout: a probability in [0, 1) needed, got {}", p);
    Dropping* dropping = Dropping::current();
    if (!dropping || p == 0) return x;
    return x * kept(x.shape(), p, dropping->next_key(), x.device());
}

}  // namespace glassbox
