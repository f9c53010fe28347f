#pragma once
#include <optional>
#include <span>
#include <string>

#include "cli/output.h"
#include "figures/palette.h"

// Colours on a terminal, which may be dark or light. Text on a coloured background sets both colours. Signed
// numbers near 0 have no background; those of the others are equally bright, in between, and more colourful
// the larger the number.
namespace glassbox::tracer {

// A fixed colour, 16 to 255, of the 256-colour palette: a 6 × 6 × 6 cube and 24 greys.
Color fixed_color(int number);

// The palette in these colours, from start to end: chosen by hand, since the nearest ones would alternate
// with greys, pink and khaki. The middle one of red_blue is shown without a background.
std::span<const std::uint8_t> fixed_colors(Palette palette);

// The background on a terminal with `many` or `all` colours at a position of the palette; none for a signed
// number near 0.
std::optional<Color> shown_color(Palette palette, double position, Colors colors);

// The text on the palette's colour at a position; unchanged where there is none, and with fewer than 256
// colours.
std::string on_palette(const std::string& text, Palette palette, double position, Colors colors);
// The same for the digits of a number: a weak one has only their hue, and no background, which on a light
// terminal would be heavier than that of none.
std::string number_on_palette(const std::string& text, Palette palette, double position, Colors colors);
// The text of NaN or an infinity. With 16 colours: bold red.
std::string on_not_finite(const std::string& text, Colors colors);
// Text or a line in this colour, on the terminal's background. With 16 colours: the nearest one.
std::string in_color(const std::string& text, Color color, Colors colors);

}  // namespace glassbox::tracer
