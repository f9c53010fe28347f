#pragma once
#include <vector>

#include "figures/figure.h"
#include "tasks/answer.h"

namespace tracer {

// The charts of an answer, one below the other, with a common legend: the first curve of each is what was
// measured, the second the model's.
Figure answer_figure(const glassbox::Answer& answer);

}  // namespace tracer
