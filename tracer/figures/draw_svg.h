#pragma once
#include <string>

#include "figures/figure.h"

namespace tracer {

// The file's contents. UsageError for a figure too large to be viewed, with its size.
std::string draw_svg(const Figure& figure);
// UsageError for a figure with too many cells for viewers of `format`, which has an element for each.
void check_cells(const Figure& figure, const char* format);

}  // namespace tracer
