#pragma once
#include "explain/arithmetic.h"
#include "explain/equation.h"

namespace tracer {

// The arithmetic of one number by its equation. Unnamed values that it reads are written inline.
Arithmetic arithmetic_by(const Equation& equation, const Element& y, const Labels& labels);

}  // namespace tracer
