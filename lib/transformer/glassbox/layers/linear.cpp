#include <glassbox/layers/linear.h>

#include <glassbox/ops/ops.h>

namespace glassbox {

// A single 0, broadcast: a model takes no memory for parameters until they are initialised.
Linear Linear::zeros(index_t in, index_t out, bool has_bias) {
    const Tensor zero(real(0));
    return {broadcast_to(zero, {out, in}), has_bias ? broadcast_to(zero, {out}) : Tensor()};
}

}  // namespace glassbox
