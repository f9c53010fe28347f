#include <glassbox/train/optimiser.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::descent;

// m ← μ m + g,  w ← w − η m
DescentState descent(const DescentState& state, const Tensor& raw, const OptimiserConfig& config, double eta,
                     double clip) {
    check(config);
    if (config.kind != OptimiserKind::sgd) fail("descent: expected sgd, got {}", name(config.kind));
    if (state.m.shape() != state.w.shape() || raw.shape() != state.w.shape())
        fail("descent: w, m and the gradient must have the same shape, got {}, {} and {}", state.w.shape(),
             state.m.shape(), raw.shape());
    Tensor before = named(step::before, state.w);
    Tensor gradient = named(step::gradient, raw);
    Tensor g = config.weight_decay > 0
                   ? named(step::g_decayed, gradient * clip + before * config.weight_decay)
                   : named(step::g, gradient * clip);
    Tensor m = named(step::m, state.m * config.momentum + g);
    Tensor w = named(step::w, before - m * eta);
    return {w, m};
}

}  // namespace glassbox
