#include <glassbox/train/optimiser.h>

#include <cmath>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::adam;

namespace {

void check_update(const AdamState& state, const Tensor& gradient, const OptimiserConfig& config, index_t t) {
    check(config);
    if (config.kind == OptimiserKind::sgd) fail("adam: expected adam or adamw, got {}", name(config.kind));
    if (t < 1) fail("adam: updates count from 1, got {}", t);
    for (const Tensor* other : {&state.m, &state.v, &gradient})
        if (other->shape() != state.w.shape())
            fail("adam: w, m, v and the gradient must have the same shape, got {} and {}", state.w.shape(),
                 other->shape());
}

// The clipping's factor; a trace keeps the update's settings with it.
Tensor factor_of(double clip, const OptimiserConfig& config, Device device) {
    const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
    return record("clip_factor", Tensor(static_cast<real>(clip)).to(device), {}, no_pullback,
                  {{"beta1", config.beta1},
                   {"beta2", config.beta2},
                   {"epsilon", config.epsilon},
                   {"weight_decay", config.weight_decay}});
}

}  // namespace

// m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,  w ← w − η m̂ / (√v̂ + ε)
//
// m̂ and v̂ correct the averages' bias towards their initial value 0. Adam adds weight decay to the gradient,
// so that it is divided by √v̂ too; AdamW subtracts it from the weights directly.
AdamState adam(const AdamState& state, const Tensor& raw, const OptimiserConfig& config, index_t t,
               double eta, double clip) {
    check_update(state, raw, config, t);
    const double beta1 = config.beta1, beta2 = config.beta2, lambda = config.weight_decay;
    const bool adamw = config.kind == OptimiserKind::adamw, decays = lambda > 0;
    Tensor before = named(step::before, state.w);
    Tensor gradient = named(step::gradient, raw);
    Tensor factor = factor_of(clip, config, raw.device());
    Tensor g = decays && !adamw ? named(step::g_decayed, gradient * factor + before * lambda)
                                : named(step::g, gradient * factor);
    Tensor m = named(step::m, state.m * beta1 + g * (1 - beta1));
    Tensor v = named(step::v, state.v * beta2 + g * g * (1 - beta2));
    Tensor m_hat = named(step::m_hat, m / (1 - std::pow(beta1, t)));
    Tensor v_hat = named(step::v_hat, v / (1 - std::pow(beta2, t)));
    Tensor direction = m_hat / (sqrt(v_hat) + config.epsilon);
    Tensor w = decays && adamw ? named(step::w_decayed, before - (direction + before * lambda) * eta)
                               : named(step::w, before - direction * eta);
    return {w, m, v};
}

}  // namespace glassbox
