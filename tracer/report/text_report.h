#pragma once
#include <string>
#include <vector>

#include "report/report.h"
#include "report/text_style.h"

namespace glassbox::tracer {

// The parts of a report as text. The lines before the steps, and one step, for --step.
std::string render_header(const Report& report, const TextStyle& style);
std::string render_step(const Report& report, std::size_t index, const TextStyle& style);
// All steps, each after an empty line.
std::string render_steps(const Report& report, const TextStyle& style);
// A table each of the inputs' and the parameters' gradients: name, shape, ‖gradient‖, agreement; empty
// without gradients.
std::string render_parameters(const Report& report, const TextStyle& style);

// Shows one step per key press (per line where standard input is not a terminal); q quits. With `predict`,
// asks for the shape of each computed step, or for a value that follows from earlier steps, before showing
// it; allows a second try, and prints the score at the end.
void step_through(const Report& report, const TextStyle& style, bool predict);

// Whole numbers below their words, aligned, each row of x in lines of at most `width` columns (0: 100), each
// line after `indent`:
//     Je  suis  étudiant
//      4     5         6
// With positions, the place of each in its row is above. A long table is cut: "… and 120 more".
std::string word_table(const std::vector<std::string>& words, const Tensor& x, bool positions, int width,
                       const std::string& indent);

}  // namespace glassbox::tracer
