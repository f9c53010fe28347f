#pragma once
#include <string>

#include "figures/figure.h"

namespace tracer {

// The file's contents. UsageError for a figure too large to be looked at, with its size.
std::string draw_svg(const Figure& figure);
// UsageError for a figure of more cells than a viewer of `format`, which has a mark for each, opens well.
void check_cells(const Figure& figure, const char* format);

}  // namespace tracer
