#include <glassbox/train/optimiser.h>

#include <cmath>
#include <limits>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::clip;

namespace {

// √(Σ g²). If the squares leave the range of real, those of g / s are summed, with s = max |g|: in float the
// norm of 10⁻²³ would be 0, and that of 10²⁰ infinite.
Tensor norm_of(const Tensor& g) {
    Tensor norm = sqrt(sum(g * g));  // ()
    using Limits = std::numeric_limits<real>;
    const real size = norm.item(), least = std::sqrt(Limits::min()) / Limits::epsilon();
    if (g.numel() == 0 || (size >= least && std::isfinite(size))) return norm;
    Tensor s = max(reshape(abs(g), {g.numel()}), 0);             // ()
    if (s.item() == 0 || !std::isfinite(s.item())) return norm;  // 0, or not a gradient to be clipped
    Tensor share = g / s;
    return s * sqrt(sum(share * share));
}

}  // namespace

// g ← min(1, max_norm / (‖g‖ + ε)) g
Tensor clip(const Tensor& raw, const Clipping& clipping) {
    if (!(clipping.max_norm > 0)) fail("clip: needs a norm above 0, got {}", clipping.max_norm);
    Tensor g = named(step::gradient, raw);
    Tensor norm = named(step::norm, norm_of(g));                                    // ()
    Tensor max_norm = Tensor(static_cast<real>(clipping.max_norm)).to(g.device());  // ()
    Tensor ratio = max_norm / (norm + clipping.epsilon);                            // ()
    Tensor factor = named(step::factor, clip(ratio, 0, 1));                         // ()
    return named(step::clipped, g * factor);
}

}  // namespace glassbox
