#include "figures/axis_names.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/text.h>

#include "cli/text_width.h"
#include "figures/panel_box.h"

namespace glassbox::tracer {
std::string short_number(double value) { return fmt::format("{:.3g}", value); }

std::vector<NameTick> name_ticks(const Axis& axis) {
    std::vector<NameTick> ticks;
    for (std::size_t i = 0; i < axis.names.size(); ++i)
        if (axis.has_tick(i)) {
            const bool is_wrong = axis.has_mark(i);
            const std::string text =
                (is_wrong ? "✗ " : "") +
                shortened(printable(axis.drawn.empty() ? axis.names[i] : axis.drawn[i]), axis.widest);
            // With room for marks where others have one, so that frames of a movie align.
            const std::string widest = axis.is_wrong.empty() || is_wrong ? text : "✗ " + text;
            ticks.push_back({i, text, width_units(widest), is_wrong});
        }
    return ticks;
}

std::vector<NameTick> thinned(const std::vector<NameTick>& ticks, double step, double min_distance) {
    std::vector<NameTick> kept;
    for (const NameTick& tick : ticks)
        if (kept.empty() || static_cast<double>(tick.at - kept.back().at) * step >= min_distance)
            kept.push_back(tick);
    return kept;
}

double widest(const std::vector<NameTick>& ticks) {
    double max_width = 0;
    for (const NameTick& tick : ticks) max_width = std::max(max_width, tick.width);
    return max_width;
}

}  // namespace glassbox::tracer
