#pragma once
#include <string>

#include <glassbox/io/detail/bytes.h>

#include "cli/output.h"
#include "figures/figure.h"

namespace tracer {

// For a terminal of `width` columns: the palettes' colours, or shades where it has fewer than 256.
// Panels that do
// not fit beside each other stand below each other; what is wider still is cut, and it says so.
std::string draw_terminal(const Figure& figure, Colors colors, int width = 80);

// Throw UsageError for a figure too large to be looked at, with its size.
std::string draw_svg(const Figure& figure);
glassbox::Bytes draw_png(const Figure& figure);

// UsageError unless the name ends in .svg or .png: for a command to ask before it computes.
void check_figure_file(const std::string& file);

// Writes the figure, whole or not at all, in the format of the name's ending. Throws UsageError, IoError.
void write_figure(const Figure& figure, const std::string& file);

}  // namespace tracer
