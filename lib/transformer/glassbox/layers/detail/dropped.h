#pragma once
#include <glassbox/observe/trace.h>
#include <glassbox/ops/dropout.h>

namespace glassbox::detail {

constexpr StepInfo dropout_step(const char* layer, const char* name) {
    return {layer, name, "Dropout({0})", "Some numbers are set to 0, the others scaled by 1/(1 − p)."};
}

// dropout(x, p) as a step in training (see DropoutScope); otherwise, or if p is 0, x without a step.
inline Tensor dropped(const StepInfo& step, const Tensor& x, double p) {
    return DropoutScope::current() && p > 0 ? named(step, dropout(x, p)) : x;
}

}  // namespace glassbox::detail
