#pragma once
#include "explain/equation_writer.h"

// The formulas by op. Each function writes the equation of the output, or of one operand's gradient, as the
// writer says.
namespace tracer::equations {

// Ops that combine numbers at one place, with broadcasting; nothing where it is another op.
std::optional<Equation> elementwise(EquationWriter& w);
bool is_elementwise(std::string_view op);

Equation softmax(EquationWriter& w);
Equation log_softmax(EquationWriter& w);
Equation layer_norm(EquationWriter& w);
Equation cross_entropy(EquationWriter& w);

Equation matmul(EquationWriter& w);
Equation linear(EquationWriter& w);
Equation total(EquationWriter& w);
Equation extreme(EquationWriter& w);
Equation embedding(EquationWriter& w);
Equation sinusoid(EquationWriter& w);

}  // namespace tracer::equations
