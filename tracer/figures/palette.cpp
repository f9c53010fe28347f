#include "figures/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace glassbox::tracer {
namespace {

constexpr Color cividis[] = {{0, 34, 78},     {35, 62, 108},   {67, 78, 108},  {96, 98, 112}, {125, 124, 120},
                             {156, 148, 119}, {188, 174, 108}, {222, 201, 88}, {254, 232, 56}};
constexpr Color red_blue[] = {{124, 32, 42},   {177, 82, 73},   {216, 151, 134},
                              {233, 201, 191}, {240, 238, 234}, {196, 210, 223},
                              {146, 178, 205}, {76, 124, 170},  {30, 72, 122}};

std::span<const Color> points_of(Palette palette) {
    return palette == Palette::cividis ? std::span<const Color>(cividis) : std::span<const Color>(red_blue);
}

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

// Relative luminance, 0 to 1 (WCAG 2.2).
double luminance(Color color) {
    const auto linear = [](std::uint8_t part) {
        const double share = part / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

}  // namespace

Color color_at(Palette palette, double position) { return mixed(points_of(palette), position); }

Color mixed(std::span<const Color> points, double place) {
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(points.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), points.size() - 2);
    const double share = at - static_cast<double>(i);
    const Color &a = points[i], &b = points[i + 1];
    return {between(a.red, b.red, share), between(a.green, b.green, share), between(a.blue, b.blue, share)};
}

double position_of(double value, double low, double high) {
    return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
}

Color color_of(Palette palette, double value, double low, double high) {
    return std::isfinite(value) ? color_at(palette, position_of(value, low, high)) : not_finite_color;
}

// contrast = (lighter + 0.05) / (darker + 0.05)
double contrast(Color a, Color b) {
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

Color text_on(Color background) {
    constexpr Color black{0, 0, 0}, white{255, 255, 255};
    return contrast(black, background) >= contrast(white, background) ? black : white;
}

std::string hex(Color color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace glassbox::tracer
