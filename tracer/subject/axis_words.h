#pragma once
#include <vector>

#include "report/report.h"
#include "subject/model_input.h"

namespace tracer {

using glassbox::Trace;

// What the axes of a model's step are, with the words of the sentence along them where there is one: queries
// and keys of scores, positions and features of everything else, before them batch and head. Empty for
// tensors of one axis.
std::vector<Report::Axis> axes_of(const Report::Step& step, const Trace& trace, const ModelInput& input);

}  // namespace tracer
