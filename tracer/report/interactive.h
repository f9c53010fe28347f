#pragma once
#include "report/report.h"
#include "report/text_style.h"

namespace tracer {

// Shows one step per key press (per line where standard input is not a terminal); q quits. With `predict`,
// asks for the shape of each computed step, or for a value that follows from earlier steps, before showing
// it; allows a second try, and prints the score at the end.
void step_through(const Report& report, const TextStyle& style, bool predict);

}  // namespace tracer
