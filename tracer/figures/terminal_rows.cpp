#include "figures/terminal_rows.h"

#include <fmt/format.h>

#include <tuple>

#include "cli/output.h"

namespace tracer {

int terminal_color(Color color) {
    static constexpr int levels[] = {0, 95, 135, 175, 215, 255};
    const auto square = [](int a) { return a * a; };
    const auto distance = [&](int red, int green, int blue) {
        return square(red - color.red) + square(green - color.green) + square(blue - color.blue);
    };
    int best = 16, least = distance(0, 0, 0);
    const auto consider = [&](int number, int away) {
        if (away < least) std::tie(best, least) = std::pair(number, away);
    };
    for (int r = 0; r < 6; ++r)
        for (int g = 0; g < 6; ++g)
            for (int b = 0; b < 6; ++b)
                consider(16 + 36 * r + 6 * g + b, distance(levels[r], levels[g], levels[b]));
    for (int i = 0; i < 24; ++i) consider(232 + i, distance(8 + 10 * i, 8 + 10 * i, 8 + 10 * i));
    return best;
}

std::string on_background(const std::string& text, Color color) {
    return styled(text, fmt::format("48;5;{}", terminal_color(color)), true);
}

int block_width(const Block& block) {
    int width = 0;
    for (const Row& row : block) width = std::max(width, row.width());
    return width;
}

std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + text;
}

}  // namespace tracer
