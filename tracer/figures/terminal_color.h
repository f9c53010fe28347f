#pragma once
#include <span>
#include <string>

#include "cli/output.h"
#include "figures/palette.h"

// What a terminal makes of colours. Where text stands on a background, both are set: it reads the same on a
// dark and on a light terminal.
namespace tracer {

// One of the fixed colours, 16 to 255, of a terminal that has 256: 6 × 6 × 6 and 24 greys.
Color fixed_color(int number);

// The palette among these, from its beginning to its end: chosen one by one, since the nearest to each colour
// would bring in greys, pink and khaki by turns.
std::span<const std::uint8_t> fixed_colors(Palette palette);

// The colour that a terminal with `many` or `all` colours shows at a position of the palette.
Color shown_color(Palette palette, double position, Colors colors);

// The text on the palette's colour at that position. With fewer colours than 256: as it is.
std::string on_palette(const std::string& text, Palette palette, double position, Colors colors);
// The text of a number that is none, or infinite. With 16 colours: bold and red.
std::string on_not_finite(const std::string& text, Colors colors);
// Text or a line in this colour, on the terminal's own background. With 16 colours: the nearest of them.
std::string in_color(const std::string& text, Color color, Colors colors);

}  // namespace tracer
