#pragma once
#include "explain/equation_writer.h"

// Products of matrices, sums and extremes over axes, tables. Each function writes the equation of the output,
// or of one operand's gradient, as the writer says.
namespace tracer::equations {

Equation matmul(EquationWriter& w);
Equation linear(EquationWriter& w);
Equation total(EquationWriter& w);
Equation extreme(EquationWriter& w);
Equation embedding(EquationWriter& w);
Equation sinusoid(EquationWriter& w);

}  // namespace tracer::equations
