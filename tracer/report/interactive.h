#pragma once
#include "report/report.h"
#include "report/text_style.h"

namespace tracer {

// Shows one step a key press (a line where standard input is not a terminal); q ends it. With `predict`, asks
// for the shape of each step that is computed, or for a value that follows from what has been shown, before
// showing it; a wrong answer has a second try, and the score is kept.
void step_through(const Report& report, const TextStyle& style, bool predict);

}  // namespace tracer
