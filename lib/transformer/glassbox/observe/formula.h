#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace glassbox {

// The formula of a step as it was computed here: "softmax(masked)", "x + self_attn/output". Steps have their
// names relative to its scope; a value from outside that scope is x. Empty for inputs and for steps without
// a StepInfo.
std::string formula_of(const Trace& trace, const Trace::Step& step);
// The same without a computation: "softmax(x)", "x, but fill where the mask is 0", with every part that some
// settings add.
std::string formula_of(const StepInfo& step);

}  // namespace glassbox
