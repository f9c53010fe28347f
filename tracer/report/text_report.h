#pragma once
#include <string>

#include "report/report.h"
#include "report/text_style.h"

namespace tracer {

// The parts of a report as text. The lines before the steps, and one step, for --step.
std::string render_header(const Report& report, const TextStyle& style);
std::string render_step(const Report& report, std::size_t index, const TextStyle& style);
// All steps, each after an empty line.
std::string render_steps(const Report& report, const TextStyle& style);
// A table each of the inputs' and the parameters' gradients: name, shape, ‖gradient‖, agreement; empty
// without gradients.
std::string render_parameters(const Report& report, const TextStyle& style);

}  // namespace tracer
