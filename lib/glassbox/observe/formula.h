#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace glassbox {

// The formula of a step as it was computed here: "softmax(masked)", "x + self_attn/output". Steps are called
// by their names beside it; what comes from outside its scope is x. Empty for an input, and for a step of
// which nobody has said anything.
std::string formula_of(const Trace& trace, const Trace::Step& step);

}  // namespace glassbox
