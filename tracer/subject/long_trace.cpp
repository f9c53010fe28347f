#include "subject/long_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace tracer {
namespace {

constexpr std::ptrdiff_t max_complete = 40;  // steps, some 400 lines: shown completely
constexpr std::ptrdiff_t max_shown = 12;     // steps, some 100 lines: two screens

std::ptrdiff_t parts(const Report::Step& step) {
    return std::count(step.path.begin(), step.path.end(), '/') + 1;
}

std::ptrdiff_t steps_within(const Report& report, std::ptrdiff_t depth) {
    return std::count_if(report.steps.begin(), report.steps.end(),
                         [&](const Report::Step& step) { return parts(step) <= depth; });
}

}  // namespace

void keep_top_levels(Report& report) {
    const auto all = static_cast<std::ptrdiff_t>(report.steps.size());
    if (all <= max_complete) return;
    std::ptrdiff_t depth = 1;
    while (steps_within(report, depth) == 0 ||
           (steps_within(report, depth + 1) <= max_shown && steps_within(report, depth + 1) < all))
        ++depth;
    const std::ptrdiff_t shown = steps_within(report, depth), next = steps_within(report, depth + 1);
    if (shown == all) return;
    report.footer =
        fmt::format("{} of {} steps: those with at most {} parts in their path. ", shown, all, depth);
    if (next < all) report.footer += fmt::format("--depth {} shows {}, ", depth + 1, next);
    report.footer += "--depth all shows every step, --scope PATH those inside a part.";
    std::erase_if(report.steps, [&](const Report::Step& step) { return parts(step) > depth; });
}

}  // namespace tracer
