#pragma once
#include <string>

#include "figures/figure.h"

namespace tracer {

// The files' contents. UsageError for a figure too large to be viewed, with its size; Error for a format that
// this build lacks.
std::string draw_png(const Figure& figure);
std::string draw_pdf(const Figure& figure);
// Called before computing: Error where this build lacks the format.
void check_png();
void check_pdf();

}  // namespace tracer
