#pragma once
#include "report/render.h"

namespace tracer {

// Shows one step a key press (a line where standard input is not a terminal); q ends it. With `predict`, asks
// for each step's shape or one of its values before showing it, says whether the answer was right, and keeps
// the score.
void step_through(const Report& report, const TextStyle& style, bool predict);

}  // namespace tracer
