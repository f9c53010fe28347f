#pragma once
#include <string>

#include "report/report.h"
#include "report/text_style.h"

namespace tracer {

// The parts of a report as text. The lines before the steps, and one step: what --step shows piece by piece.
std::string render_header(const Report& report, const TextStyle& style);
std::string render_step(const Report& report, std::size_t index, const TextStyle& style);
// All steps, an empty line before each.
std::string render_steps(const Report& report, const TextStyle& style);
// With gradients of parameters, a table of them: name, shape, ‖gradient‖, agreement; else nothing.
std::string render_parameters(const Report& report, const TextStyle& style);

}  // namespace tracer
