#pragma once
#include <cstdint>
#include <string>

namespace tracer {

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Color&) const = default;
};

// cividis: from dark blue to yellow, evenly lighter, and the same to eyes that do not tell red from green
// (Nuñez, Anderton and Renslow, 2018), at nine points. red_grey: for numbers of either sign, red below,
// white in the middle, grey above.
enum class Palette { cividis, red_grey };

constexpr Color not_finite_color{230, 60, 200};  // NaN and the infinities; in neither palette

// 0 is the palette's beginning, 1 its end; what lies outside counts as the nearer of the two.
Color color_at(Palette palette, double position);

// Where a value lies between low and high, 0 to 1; in the middle when these are equal.
double position_of(double value, double low, double high);

// The colour of a heat map's cell.
Color color_of(Palette palette, double value, double low, double high);

std::string hex(Color color);  // "#1f77b4"

}  // namespace tracer
