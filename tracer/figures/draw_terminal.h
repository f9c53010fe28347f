#pragma once
#include <string>

#include "cli/output.h"
#include "figures/figure.h"

namespace tracer {

// For a terminal of `width` columns: in the palettes' colours, or in shades where it has fewer than 256.
// Panels that do not fit side by side are stacked; wider ones are cut, with a note.
std::string draw_terminal(const Figure& figure, Colors colors, int width = 80);

}  // namespace tracer
