#include "report/heat.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "cli/output.h"
#include "figures/terminal_color.h"

namespace glassbox::tracer {
namespace {

// The position of a signed number on a palette, 0 to 1: (1 ± √(|x| / largest)) / 2. The square root keeps
// signs visible in steps whose numbers are ten times smaller than another's.
double position_around_0(double x, double largest) {
    const double share = largest > 0 ? std::sqrt(std::min(std::abs(x) / largest, 1.0)) : 0;
    return (1 + std::copysign(share, x)) / 2;
}

}  // namespace

HeatPlace heat_place(Report::Kind kind, double largest, real value) {
    const auto x = static_cast<double>(value);
    if (kind == Report::Kind::weight) return {Palette::cividis, position_of(x, 0, largest)};
    return {Palette::red_blue, position_around_0(x, largest)};
}

double largest_visible(const Tensor& x) {
    double largest = 0;
    for (const real value : x.values())
        if (std::isfinite(value) && !is_hidden_score(value))
            largest = std::max(largest, std::abs(static_cast<double>(value)));
    return largest;
}

std::string Heat::operator()(const std::string& text, real value) const {
    if (colors == Colors::none || kind == Report::Kind::word) return text;
    if (is_hidden_score(value) || (kind == Report::Kind::masked && value == -INFINITY))
        return styled(text, dim, true);
    if (!std::isfinite(value)) return on_not_finite(text, colors);
    const HeatPlace place = heat_place(kind, largest, value);
    return number_on_palette(text, place.palette, place.position, colors);
}

}  // namespace glassbox::tracer
