#include <glassbox/train/clip.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::clip;

// g ← min(1, max_norm / (‖g‖ + ε)) g
Tensor clip(const Tensor& raw, const Clipping& clipping) {
    if (!(clipping.max_norm > 0)) fail("clip: a norm above 0 needed, got {}", clipping.max_norm);
    Tensor g = named(step::gradient, raw);
    Tensor norm = named(step::norm, sqrt(sum(g * g)));                              // ()
    Tensor max_norm = Tensor(static_cast<real>(clipping.max_norm)).to(g.device());  // ()
    Tensor ratio = max_norm / (norm + clipping.epsilon);                            // ()
    Tensor factor = named(step::factor, clip(ratio, 0, 1));                         // ()
    return named(step::clipped, g * factor);
}

}  // namespace glassbox
