#pragma once
#include <string>

namespace tracer {

// The LaTeX that typeset() would run: "pdflatex". With `needs_fonts` those with Unicode fonts come first.
// Throws IoError that says what to install if there is none.
std::string installed_latex(bool needs_fonts);

// The PDF of a LaTeX document, made in a temporary folder, in which it cannot start programs. Throws IoError
// with LaTeX's own message if that fails; Interrupted once a signal was caught (cli/signals.h).
std::string typeset(const std::string& document, const std::string& latex);

}  // namespace tracer
