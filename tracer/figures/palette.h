#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace glassbox::tracer {

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Color&) const = default;
};

// A palette for a meaning, in every medium. cividis: from dark blue to yellow with uniformly increasing
// lightness, looks the same with red–green colour blindness (Nuñez, Anderton and Renslow, 2018), at nine
// points: for weights, counts and similarities. red_blue: diverging, for signed numbers, red below, blue
// above, distinguishable with any colour blindness; 0 is as what is behind it: light on paper, dark on the
// page in the dark (report/html/colors.js), without a colour on a terminal (terminal_color.h).
enum class Palette { cividis, red_blue };

constexpr Color wrong_color{200, 30, 60};        // the edge of what is wrong, and text; never alone
constexpr Color not_finite_color{230, 60, 200};  // NaN and the infinities; in neither palette

constexpr Color absent_color{222, 222, 222};                              // if there is no value to show
constexpr Color hidden_color{248, 248, 248}, hatch_color{165, 165, 165};  // of a weight that a mask hides
constexpr const char* hidden_mark = "╱";                                  // the same as text

// Two colours for any terminal background: contrast at least 4.5 on black and on white, and 3, enough for
// bars and lines but not for text, on dark and light greys.
constexpr Color clear_red{204, 74, 60}, clear_blue{50, 122, 180};

// 0 is the palette's start, 1 its end; positions outside are clamped.
Color color_at(Palette palette, double position);

// The colour at this place, 0 to 1, of a row of colours at equal distances.
Color mixed(std::span<const Color> points, double place);

// A value's position between low and high, 0 to 1; 0.5 when these are equal.
double position_of(double value, double low, double high);

// The colour of a heat map's cell.
Color color_of(Palette palette, double value, double low, double high);

// Contrast ratio, 1 to 21; text needs at least 4.5 (WCAG 2.2).
double contrast(Color a, Color b);
// Black or white: the one with more contrast with the background, at least 4.58.
Color text_on(Color background);

std::string hex(Color color);  // "#1f77b4"

}  // namespace glassbox::tracer
