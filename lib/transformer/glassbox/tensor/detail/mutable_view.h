#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

struct MutableAccess {
    static View view(const Tensor& x) { return {x.body().data, x.body_->shape, x.body_->strides}; }
};

// Writable numbers even if other tensors share them. Only for an optimiser, a tape's gradients and a recorded
// step, each of which owns the tensors that it overwrites.
inline View mutable_view(Tensor& x) { return MutableAccess::view(x); }

}  // namespace glassbox::detail
