#pragma once
#include <string>

#include "cli/output.h"
#include "figures/figure.h"

namespace tracer {

// For a terminal of `width` columns: the palettes' colours, or shades where it has fewer than 256.
// Panels that do
// not fit beside each other stand below each other; what is wider still is cut, and it says so.
std::string draw_terminal(const Figure& figure, Colors colors, int width = 80);

}  // namespace tracer
