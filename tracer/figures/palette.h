#pragma once
#include <cstdint>
#include <string>

namespace tracer {

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Color&) const = default;
};

// cividis: from dark blue to yellow, evenly lighter, and the same to eyes that do not tell red from green
// (Nuñez, Anderton and Renslow, 2018), at nine points: for weights. red_blue: for numbers of either sign, red
// below, a light grey in the middle, blue above; red and blue look different to all eyes.
enum class Palette { cividis, red_blue };

constexpr Color not_finite_color{230, 60, 200};  // NaN and the infinities; in neither palette

// Two things told apart on whatever background a terminal has: 4.5 and more on black and on white, and 3,
// which is enough for bars and lines and not for text, on the greys that are called dark or light.
constexpr Color clear_red{204, 74, 60}, clear_blue{50, 122, 180};

// 0 is the palette's beginning, 1 its end; what lies outside counts as the nearer of the two.
Color color_at(Palette palette, double position);

// Where a value lies between low and high, 0 to 1; in the middle when these are equal.
double position_of(double value, double low, double high);

// The colour of a heat map's cell.
Color color_of(Palette palette, double value, double low, double high);

// How well one colour is read on the other: 1 to 21, of text at least 4.5 (WCAG 2.2, "contrast ratio").
double contrast(Color a, Color b);
// Black or white, whichever is read better on this background: their contrast is never below 4.58.
Color text_on(Color background);

std::string hex(Color color);  // "#1f77b4"

}  // namespace tracer
