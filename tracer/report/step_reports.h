#pragma once
#include "explain/explainer.h"
#include "report/report.h"

namespace tracer {

// Adds every step of a trace: its layer's formula and sentence, a worked example (the first hidden one of
// masked scores, else the first element), and checks.
void add_steps(Report& report, const Trace& trace, const Explainer& explainer);

}  // namespace tracer
