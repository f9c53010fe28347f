#include <glassbox/train/optimiser.h>

#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

using namespace detail;

namespace {

real rounded(double x) { return static_cast<real>(x); }

}  // namespace

Optimiser::Optimiser(const OptimiserConfig& config, index_t size, Device device) : config_(config) {
    check(config);
    m = Tensor::zeros({size}, device);
    if (has_second_moment()) v = Tensor::zeros({size}, device);
}

void Optimiser::step(Tensor& w, const Tensor& g, double rate, double clip) {
    if (w.shape() != m.shape() || g.shape() != m.shape())
        fail("optimiser: made for {} numbers, got parameters {} and gradients {}", m.numel(), w.shape(),
             g.shape());
    common_device("optimiser", w, g);
    common_device("optimiser", w, m);
    ensure_unique();
    update(w, g, {next(rate, clip)});
    ++done_;
}

void Optimiser::ensure_unique() {
    glassbox::ensure_unique(m);
    glassbox::ensure_unique(v);
}

StepNumbers Optimiser::next(double rate, double clip) const {
    const double t = static_cast<double>(done_ + 1);
    return {rounded(rate), rounded(clip), rounded(1 - std::pow(config_.beta1, t)),
            rounded(1 - std::pow(config_.beta2, t))};
}

void Optimiser::update(Tensor& w, const Tensor& g, const LiveStep& step) {
    const OptimiserConfig& c = config_;
    if (!has_second_moment())
        return backend(w.device())
            .descend({rounded(c.momentum), rounded(c.weight_decay)}, step, g.view(), mutable_view(w),
                     mutable_view(m));
    const bool decoupled = c.kind == OptimiserKind::adamw;
    const AdamParams params{rounded(c.beta1),
                            rounded(c.beta2),
                            rounded(c.epsilon),
                            rounded(1 - c.beta1),
                            rounded(1 - c.beta2),
                            rounded(decoupled ? 0 : c.weight_decay),
                            rounded(decoupled ? c.weight_decay : 0)};
    backend(w.device()).adam(params, step, g.view(), mutable_view(w), mutable_view(m), mutable_view(v));
}

void check(const OptimiserConfig& c) {
    const auto share = [](const char* what, double x) {
        if (!(x >= 0 && x < 1)) fail("optimiser: needs {} in [0, 1), got {}", what, x);
    };
    share("β₁", c.beta1), share("β₂", c.beta2), share("a momentum", c.momentum);
    if (!(c.epsilon > 0)) fail("optimiser: needs an ε above 0, got {}", c.epsilon);
    if (!(c.weight_decay >= 0) || !std::isfinite(c.weight_decay))
        fail("optimiser: needs a finite weight decay of at least 0, got {}", c.weight_decay);
}

}  // namespace glassbox
