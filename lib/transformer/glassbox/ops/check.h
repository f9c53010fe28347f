#pragma once
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The operands' device, which must be the same: tensors are never transferred implicitly.
inline Device common_device(const char* op, const Tensor& a, const Tensor& b) {
    if (!a.defined() || !b.defined()) fail("{}: an operand is undefined", op);
    if (a.device() != b.device())
        fail("{}: operands on two devices: {} and {}", op, name(a.device()), name(b.device()));
    return a.device();
}

// `what` must broadcast to exactly `shape` by NumPy's rules.
inline void check_broadcasts_to(const char* op, const char* what, const Shape& from, const Shape& shape) {
    bool fits = from.rank() <= shape.rank();
    for (int axis = 1; fits && axis <= from.rank(); ++axis)
        fits = from[-axis] == 1 || from[-axis] == shape[-axis];
    if (!fits) fail("{}: {} of shape {} does not broadcast to {}", op, what, from, shape);
}

}  // namespace glassbox
