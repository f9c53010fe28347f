#pragma once
#include <string>

#include <glassbox/tensor/print.h>

#include "cli/options.h"
#include "report/report.h"

namespace tracer {

struct TextStyle {
    glassbox::PrintStyle numbers;
    bool color = false;
};

// As --precision, --color and -o ask for. UsageError for a precision that is no whole number.
TextStyle text_style(const std::string& precision, const std::string& color, const std::string& output);
// UsageError for a --precision that changes nothing: JSON and npz have every digit.
void check_precision(const Options& options, const std::string& format);
// "text", "json" or "npz": what --format says, else the ending of -o. UsageError for npz on a terminal, and
// where the ending says another format.
std::string format_of(const std::string& format, const std::string& output);
// The report in that format.
std::string render(const Report& report, const std::string& format, const TextStyle& style);

// The report as a student reads it. Steps, formulas, arrays and checks; see docs/notation.md.
std::string render_text(const Report& report, const TextStyle& style);
// The lines before the steps, and one step: what --step shows piece by piece.
std::string render_header(const Report& report, const TextStyle& style);
std::string render_step(const Report& report, std::size_t index, const TextStyle& style);
// With gradients of parameters, a table of them: name, shape, ‖gradient‖, agreement; else nothing.
std::string render_parameters(const Report& report, const TextStyle& style);

// One line of JSON, schema 1 (docs/formats.md): numbers with 9 significant digits (17 in a double build).
std::string render_json(const Report& report);
// The bytes of an .npz: one array a step, its path as the key; gradients as "grad/PATH", those of parameters
// as "grad/weights/NAME".
std::string render_npz(const Report& report);

}  // namespace tracer
