#pragma once
#include <vector>

#include "report/report.h"
#include "subject/model_input.h"

namespace tracer {

// What the last two axes of a model's step are, with the words of the sentence along them where there is one:
// queries and keys of scores, positions and features of everything else. Empty for other ranks.
std::vector<Report::Axis> axes_of(const Report::Step& step, const ModelInput& input);

}  // namespace tracer
