#pragma once
#include "explain/explainer.h"
#include "report/report.h"

namespace tracer {

// What there is to say of every step of a trace: what its layer says of it, a worked example (of masked
// scores the first hidden one, else the first number), and what is checked.
void add_steps(Report& report, const Trace& trace, const Explainer& explainer);

}  // namespace tracer
