#pragma once
#include <string>

#include "figures/figure.h"

namespace tracer {

// The files' contents. UsageError for a figure too large to be looked at, with its size; Error for a format
// that this build has not.
std::string draw_png(const Figure& figure);
std::string draw_pdf(const Figure& figure);
// Error where this build has it not: for a command to ask before it computes.
void check_png();
void check_pdf();

}  // namespace tracer
