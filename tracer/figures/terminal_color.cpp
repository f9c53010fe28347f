#include "figures/terminal_color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace glassbox::tracer {
namespace {

constexpr int first_fixed = 16, first_grey = 232, end_of_fixed = 256;
constexpr std::uint8_t cividis_fixed[] = {17, 60, 102, 143, 185, 227};
constexpr std::uint8_t red_blue_fixed[] = {160, 124, 95, 242, 60, 25, 26};

// From a large number to 0.
constexpr Color reds[] = {{206, 48, 40}, {176, 84, 70}, {134, 106, 102}, {112, 112, 112}};
constexpr Color blues[] = {{18, 104, 206}, {62, 112, 172}, {98, 114, 132}, {112, 112, 112}};
constexpr double near_0 = 0.12;  // from the middle of red_blue, which is 0.5 long on either side
constexpr double weak = 0.25;    // a quarter of the largest number, by the square root of heat_place()

int distance(Color a, Color b) {
    const auto square = [](int x) { return x * x; };
    return square(a.red - b.red) + square(a.green - b.green) + square(a.blue - b.blue);
}

int nearest_fixed(Color color) {
    int best = first_fixed;
    for (int i = first_fixed; i < end_of_fixed; ++i)
        if (distance(fixed_color(i), color) < distance(fixed_color(best), color)) best = i;
    return best;
}

// "31" red to "36" cyan in their usual colours; black and white may be the background.
std::string nearest_of_sixteen(Color color) {
    static constexpr Color usual[] = {{205, 0, 0}, {0, 205, 0},   {205, 205, 0},
                                      {0, 0, 238}, {205, 0, 205}, {0, 205, 205}};
    int best = 0;
    for (int i = 1; i < 6; ++i)
        if (distance(usual[i], color) < distance(usual[best], color)) best = i;
    return std::to_string(31 + best);
}

// "5;17" or "2;0;34;78": what follows 38 for text and 48 for a background.
std::string code_of(Color color, Colors colors) {
    return colors == Colors::all ? fmt::format("2;{};{};{}", color.red, color.green, color.blue)
                                 : fmt::format("5;{}", nearest_fixed(color));
}

std::string on(const std::string& text, Color background, Colors colors) {
    return styled(
        text, fmt::format("48;{};38;{}", code_of(background, colors), code_of(text_on(background), colors)),
        true);
}

}  // namespace

Color fixed_color(int number) {
    static constexpr std::uint8_t levels[] = {0, 95, 135, 175, 215, 255};
    if (number >= first_grey) {
        const auto grey = static_cast<std::uint8_t>(8 + 10 * (number - first_grey));
        return {grey, grey, grey};
    }
    const int i = number - first_fixed;
    return {levels[i / 36], levels[i / 6 % 6], levels[i % 6]};
}

std::span<const std::uint8_t> fixed_colors(Palette palette) {
    return palette == Palette::cividis ? std::span<const std::uint8_t>(cividis_fixed)
                                       : std::span<const std::uint8_t>(red_blue_fixed);
}

std::optional<Color> shown_color(Palette palette, double position, Colors colors) {
    if (palette == Palette::red_blue) {
        const double from_0 = std::abs(std::clamp(position, 0.0, 1.0) - 0.5);
        if (from_0 < near_0) return {};
        if (colors == Colors::all) return mixed(position < 0.5 ? reds : blues, 1 - 2 * from_0);
    }
    if (colors == Colors::all) return color_at(palette, position);
    const std::span<const std::uint8_t> chosen = fixed_colors(palette);
    const double n = static_cast<double>(chosen.size());
    return fixed_color(chosen[static_cast<std::size_t>(std::clamp(position * n, 0.0, n - 1))]);
}

std::string on_palette(const std::string& text, Palette palette, double position, Colors colors) {
    if (colors < Colors::many) return text;
    const std::optional<Color> background = shown_color(palette, position, colors);
    return background ? on(text, *background, colors) : text;
}

std::string number_on_palette(const std::string& text, Palette palette, double position, Colors colors) {
    const double from_0 = std::abs(std::clamp(position, 0.0, 1.0) - 0.5);
    const bool is_weak = palette == Palette::red_blue && from_0 >= near_0 && from_0 < weak;
    if (!is_weak || colors < Colors::many) return on_palette(text, palette, position, colors);
    return in_color(text, position < 0.5 ? clear_red : clear_blue, colors);
}

std::string on_not_finite(const std::string& text, Colors colors) {
    if (colors < Colors::many) return styled(text, red_text, colors == Colors::sixteen);
    return styled(on(text, not_finite_color, colors), "1", true);
}

std::string in_color(const std::string& text, Color color, Colors colors) {
    return styled(text,
                  colors == Colors::sixteen ? nearest_of_sixteen(color) : "38;" + code_of(color, colors),
                  colors != Colors::none);
}

}  // namespace glassbox::tracer
