#pragma once
#include <initializer_list>
#include <utility>

#include <glassbox/observe/detail/gradient_homes.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

// The last act of every op: tell whoever listens what was computed from what, and how gradients flow back.
//     return record("exp", y, {&x}, [y](const Tensor& dy) { return dy * y; });
// What the op was told besides stands at the end, by name: {{"axis", axis}}.
template <class Pullback>
Tensor record(const char* op, Tensor y, Few<const Tensor*> inputs, Pullback&& pullback,
              std::initializer_list<Setting> settings = {}) {
    if (Tape* tape = Tape::current()) tape->record(op, y, inputs, std::forward<Pullback>(pullback));
    if (Trace* trace = Trace::current()) {
        Few<Tensor> values;
        for (const Tensor* input : inputs) values.add(*input);
        Few<Setting> told;
        for (const Setting& setting : settings) told.add(setting);
        trace->add_operation({op, y, std::move(values), std::move(told)});
    }
    return y;
}

}  // namespace glassbox
