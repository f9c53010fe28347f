#pragma once
#include <string>

#include "explain/explainer.h"
#include "report/report.h"
#include "report/text_style.h"

namespace glassbox::tracer {

// The lines of --explain for `number`, as Explainer::shown() gives them, for a terminal: names in bold, the
// arithmetic of what a number is computed from further in than its own, and numbers of steps in the colours
// that they have among `report`'s steps. Elsewhere names are bold where there are colours.
std::string styled_arithmetic(const std::string& arithmetic, const Explainer& explainer,
                              const Element& number, const Report& report, const TextStyle& style);

}  // namespace glassbox::tracer
