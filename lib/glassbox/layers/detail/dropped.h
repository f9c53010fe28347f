#pragma once
#include <glassbox/observe/trace.h>
#include <glassbox/ops/dropout.h>

namespace glassbox {

constexpr StepInfo dropout_step(const char* layer, const char* name) {
    return {layer, name, "Dropout({0})", "Some numbers are 0, the others are larger by 1/(1 − p)."};
}

// dropout(x, p) as a step of its own where it drops; x, and no step, where nothing does (see Dropping).
inline Tensor dropped(const StepInfo& step, const Tensor& x, double p) {
    return Dropping::current() && p > 0 ? named(step, dropout(x, p)) : x;
}

}  // namespace glassbox
