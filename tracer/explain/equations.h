#pragma once
#include <string_view>

#include <glassbox/observe/trace.h>

#include "explain/equation.h"

namespace glassbox::tracer {

// By name of the op.
bool has_equation(std::string_view op);

// y by its operands; `at` is its only requested place, where a separate row may read more simply.
Equation equation_of(const Operation& op, const Trace& trace, const std::vector<index_t>& at);

// y by its operands, and what each operand's gradient gets from y's. No equation without a gradient, and none
// for ops that only move numbers (below_view in tensor_element.h).
std::vector<Equation> equations_of(const Operation& op, const Trace& trace);

}  // namespace glassbox::tracer
