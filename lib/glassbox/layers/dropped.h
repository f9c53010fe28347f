#pragma once
#include <glassbox/observe/trace.h>
#include <glassbox/ops/dropout.h>

namespace glassbox {

// dropout(x, p) as a step of its own where it drops; x, and no step, where nothing does (see Dropping).
inline Tensor dropped(std::string_view name, const Tensor& x, double p) {
    return Dropping::current() && p > 0 ? named(name, dropout(x, p)) : x;
}

}  // namespace glassbox
