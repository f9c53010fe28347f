#pragma once
#include <initializer_list>
#include <utility>

#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

// Every op ends with this call: it records the result, its inputs and the pullback on the current Trace and
// Tape, and returns y.
//     return record("exp", y, {&x}, [y](const Tensor& dy) { return dy * y; });
// Other arguments of the op come last, by name: {{"axis", axis}}.
template <class Pullback>
Tensor record(const char* op, Tensor y, SmallVector<const Tensor*> inputs, Pullback&& pullback,
              std::initializer_list<Setting> settings = {}) {
    if (Tape* tape = Tape::current()) tape->record(op, y, inputs, std::forward<Pullback>(pullback));
    if (Trace* trace = Trace::current()) {
        SmallVector<Tensor> values;
        for (const Tensor* input : inputs) values.add(*input);
        SmallVector<Setting> arguments;
        for (const Setting& setting : settings) arguments.add(setting);
        trace->add_operation({op, y, std::move(values), std::move(arguments)});
    }
    return y;
}

// Whether a Trace or a Tape is recording this thread. If so, layers compute every step as written; otherwise
// they may call a fused op for the same result.
inline bool is_observed() { return Trace::current() || Tape::current(); }

}  // namespace glassbox
