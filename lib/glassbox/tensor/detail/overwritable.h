#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

struct Overwriting {
    static View view(const Tensor& x) { return {x.body().data, x.body_->shape, x.body_->strides}; }
};

// Numbers that others hold too, to be written over all the same: what an optimiser, a tape's gradients and a
// recorded step have made for that, and nobody else.
inline View overwritable(Tensor& x) { return Overwriting::view(x); }

}  // namespace glassbox
