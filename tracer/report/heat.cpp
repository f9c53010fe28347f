#include "report/heat.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "figures/terminal_color.h"

namespace tracer {
namespace {

constexpr const char* dim = "2";

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
    const bool is_weight = kind == Report::Kind::weight;
    const double low = is_weight ? 0 : -most, high = is_weight ? 1 : most;
    return on_palette(text, is_weight ? Palette::cividis : Palette::red_blue,
                      position_of(static_cast<double>(value), low, high), colors);
}

}  // namespace tracer
