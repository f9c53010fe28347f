#pragma once
#include <initializer_list>
#include <utility>

#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// ---- an op begins with checks …

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

// ---- … and ends with the record

// Every op ends with this call: it records the result, its inputs and the pullback on the current Trace and
// Tape, and returns y.
//     return record("exp", y, {&x}, [y](const Tensor& dy) { return dy * y; });
// Other arguments of the op come last, by name: {{"axis", axis}}.
template <class Pullback>
Tensor record(const char* op, Tensor y, Inputs inputs, Pullback&& pullback,
              std::initializer_list<Setting> settings = {}) {
    if (Tape* tape = Tape::current()) tape->record(op, y, inputs, std::forward<Pullback>(pullback));
    if (Trace* trace = Trace::current()) {
        detail::SmallVector<Tensor> values;
        for (const Tensor* input : inputs) values.add(*input);
        detail::SmallVector<Setting> arguments;
        for (const Setting& setting : settings) arguments.add(setting);
        trace->add_operation({op, y, std::move(values), std::move(arguments)});
    }
    return y;
}

// Whether a Trace or a Tape is recording this thread. If so, layers compute every step as written; otherwise
// they may call a fused op for the same result.
inline bool is_observed() { return Trace::current() || Tape::current(); }

// What a pullback returns for an input without a gradient: labels, ids, a plain number.
inline const Tensor no_gradient;

}  // namespace glassbox
