#pragma once
#include "explain/equation_writer.h"

// Ops that work on rows, the last axis. Each function writes the equation of the output, or of
// one operand's gradient, as the writer says.
namespace tracer::equations {

Equation softmax(EquationWriter& w);
Equation log_softmax(EquationWriter& w);
Equation layer_norm(EquationWriter& w);
Equation cross_entropy(EquationWriter& w);

}  // namespace tracer::equations
