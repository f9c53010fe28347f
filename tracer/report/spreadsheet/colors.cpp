#include "report/spreadsheet/colors.h"

#include <fmt/format.h>

#include "figures/palette.h"

namespace glassbox::tracer::spreadsheet {
namespace {

std::string written(Color color) {
    return fmt::format("{:02X}{:02X}{:02X}", color.red, color.green, color.blue);
}

}  // namespace

std::vector<ColorStop> color_stops(double largest) {
    const bool is_weights = largest == 0;
    const Palette palette = is_weights ? Palette::cividis : Palette::red_blue;
    constexpr double light = 0.25;  // from the ends of the palette, which are as dark as text
    const double end = is_weights ? 0 : light;
    return {{is_weights ? 0 : -largest, written(color_at(palette, end))},
            {is_weights ? 0.5 : 0, written(color_at(palette, 0.5))},
            {is_weights ? 1 : largest, written(color_at(palette, 1 - end))}};
}

double dark_weights_below() {
    constexpr int steps = 100;
    for (int i = 0; i <= steps; ++i) {
        const double weight = static_cast<double>(i) / steps;
        if (text_on(color_at(Palette::cividis, weight)) == Color{0, 0, 0}) return weight;
    }
    return 1;
}

}  // namespace glassbox::tracer::spreadsheet
