#pragma once
#include <span>
#include <string>

#include "cli/output.h"
#include "figures/palette.h"

// Colours on a terminal. Text on a coloured background sets both colours, so that it looks the same on dark
// and on light terminals.
namespace glassbox::tracer {

// A fixed colour, 16 to 255, of the 256-colour palette: a 6 × 6 × 6 cube and 24 greys.
Color fixed_color(int number);

// The palette in these colours, from start to end: chosen by hand, since the nearest ones would alternate
// with greys, pink and khaki.
std::span<const std::uint8_t> fixed_colors(Palette palette);

// The colour that a terminal with `many` or `all` colours shows at a position of the palette.
Color shown_color(Palette palette, double position, Colors colors);

// The text on the palette's colour at a position; unchanged with fewer than 256 colours.
std::string on_palette(const std::string& text, Palette palette, double position, Colors colors);
// The text of NaN or an infinity. With 16 colours: bold red.
std::string on_not_finite(const std::string& text, Colors colors);
// Text or a line in this colour, on the terminal's background. With 16 colours: the nearest one.
std::string in_color(const std::string& text, Color color, Colors colors);

}  // namespace glassbox::tracer
