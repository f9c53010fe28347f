#include "figures/chart.h"

#include <algorithm>

namespace glassbox::tracer {
namespace {

using Points = std::vector<Chart::Point>;

// Keeps a strip's first, lowest, highest and last point, in order.
void add_strip(Points& kept, Points::const_iterator first, Points::const_iterator end) {
    const auto by_height = [](const Chart::Point& a, const Chart::Point& b) { return a.y < b.y; };
    const auto [lowest, highest] = std::minmax_element(first, end, by_height);
    auto before = end;
    for (const auto point : {first, std::min(lowest, highest), std::max(lowest, highest), end - 1}) {
        if (point != before) kept.push_back(*point);
        before = point;
    }
}

}  // namespace

Points thinned(const Points& points, double low, double high, int columns) {
    if (points.size() <= 4 * static_cast<std::size_t>(columns) || !(high > low)) return points;
    const auto strip_of = [&](const Chart::Point& point) {
        return std::clamp((point.x - low) / (high - low), 0.0, 1.0) * columns;
    };
    Points kept;
    for (auto first = points.begin(); first != points.end();) {
        const double strip_end = static_cast<int>(strip_of(*first)) + 1;
        const auto end = std::find_if(first, points.end(),
                                      [&](const auto& point) { return strip_of(point) >= strip_end; });
        add_strip(kept, first, end);
        first = end;
    }
    return kept;
}

Scale x_scale(const Chart& chart, int max_ticks) {
    const bool has_names = !chart.x_names.empty();
    Scale x = between(chart.x_low, chart.x_high, has_names ? std::max(2, max_ticks - 1) : max_ticks, 1);
    if (!has_names) return x;
    std::erase_if(x.ticks, [&](const Scale::Tick& tick) {
        return tick.value < 0 || tick.value >= static_cast<double>(chart.x_names.size());
    });
    for (Scale::Tick& tick : x.ticks) tick.text = chart.x_names[static_cast<std::size_t>(tick.value)];
    return x;
}

std::vector<double> dash_lengths(Chart::Dash dash) {
    switch (dash) {
        case Chart::Dash::solid:
            return {};
        case Chart::Dash::dashed:
            return {8, 4};
        case Chart::Dash::dotted:
            return {2, 4};
        case Chart::Dash::dash_dot:
            return {10, 4, 2, 4};
    }
    return {};
}

}  // namespace glassbox::tracer
