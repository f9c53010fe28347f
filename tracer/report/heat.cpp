#include "report/heat.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "figures/terminal_color.h"

namespace tracer {
namespace {

constexpr const char* dim = "2";

// Where a number of either sign lies on a palette, 0 to 1: (1 ± √(|x| / most)) / 2. The root, because one
// step's numbers are often ten times another's: their signs, too, are to be seen.
double position_around_0(double x, double most) {
    const double share = most > 0 ? std::sqrt(std::min(std::abs(x) / most, 1.0)) : 0;
    return (1 + std::copysign(share, x)) / 2;
}

}  // namespace

double largest_visible(const Tensor& x) {
    double most = 0;
    for (const real value : x.values())
        if (std::isfinite(value) && !glassbox::is_hidden_score(value))
            most = std::max(most, std::abs(static_cast<double>(value)));
    return most;
}

std::string Heat::operator()(const std::string& text, real value) const {
    if (colors == Colors::none || kind == Report::Kind::word) return text;
    if (glassbox::is_hidden_score(value) || (kind == Report::Kind::masked && value == -INFINITY))
        return styled(text, dim, true);
    if (!std::isfinite(value)) return on_not_finite(text, colors);
    const auto x = static_cast<double>(value);
    if (kind == Report::Kind::weight) return on_palette(text, Palette::cividis, x, colors);
    return on_palette(text, Palette::red_blue, position_around_0(x, most), colors);
}

}  // namespace tracer
