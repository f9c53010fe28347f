#include "figures/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace glassbox::tracer {
namespace {

// The smallest of 1, 2, 5 · 10^k that gives at most `max_ticks` ticks in a span.
double round_step(double span, int max_ticks) {
    const double min_step = span / std::max(1, max_ticks - 1);
    const double ten = std::pow(10, std::floor(std::log10(min_step)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * ten >= min_step * (1 - 1e-9)) return factor * ten;
    return 10 * ten;
}

// With as many digits as distinguish neighbouring ticks; in exponent form where that would be long.
std::string tick_text(double value, double step) {
    if (value == 0) return "0";
    const int last = static_cast<int>(std::floor(std::log10(step) + 1e-9));  // exponent of the last digit
    if (std::abs(value) < 1e9 && step >= 0.9e-4) return fmt::format("{:.{}f}", value, std::max(0, -last));
    const int first = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    return fmt::format("{:.{}g}", value, std::max(1, first - last + 1));
}

// Widens a range so narrow that its ticks would need too many digits.
void widen(double& low, double& high) {
    const double min_range = 1e-9 * std::max(std::abs(low), std::abs(high));
    if (high - low > std::max(min_range, 1e-300)) return;
    const double margin = std::abs(low) < 1e-290 ? 1 : std::abs(low) / 2;
    low -= margin;
    high += margin;
}

// The multiples of `step` from low to high, by multiplication, since repeated addition would drift.
std::vector<Scale::Tick> multiples(double low, double high, double step) {
    std::vector<Scale::Tick> ticks;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k)
        ticks.push_back({k * step, tick_text(k * step, step)});
    return ticks;
}

}  // namespace

double Scale::position(double value) const {
    return is_logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

Scale between(double low, double high, int max_ticks, double min_step) {
    widen(low, high);
    return {low, high, false, multiples(low, high, std::max(min_step, round_step(high - low, max_ticks)))};
}

Scale rounded(double low, double high, int max_ticks) {
    widen(low, high);
    // Rounding outwards widens the span, which may need a larger step.
    for (double step = round_step(high - low, max_ticks);; step = round_step(step * max_ticks, max_ticks)) {
        const double from = std::floor(low / step + 1e-9) * step, to = std::ceil(high / step - 1e-9) * step;
        if (std::lround((to - from) / step) < max_ticks) return {from, to, false, multiples(from, to, step)};
    }
}

Scale logarithmic(double low, double high, int max_ticks) {
    if (!(high > low * (1 + 1e-9))) {
        low /= 2;
        high *= 2;
    }
    const double from = std::floor(std::log10(low) + 1e-9), to = std::ceil(std::log10(high) - 1e-9);
    Scale scale{low, high, true, {}};
    const auto add = [&](double value) {
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
            scale.ticks.push_back({value, fmt::format("{:.4g}", value)});
    };
    const double decades = to - from;
    const double every = std::ceil((decades + 1) / std::max(2, max_ticks));
    const bool has_space = 3 * decades + 1 <= max_ticks;
    for (double exponent = from; exponent <= to; exponent += every)
        for (const double factor : {1.0, 2.0, 5.0})
            if (factor == 1 || has_space) add(factor * std::pow(10, exponent));
    if (scale.ticks.size() < 2) {  // less than a decade
        scale.ticks = multiples(low, high, round_step(high - low, max_ticks));
    }
    return scale;
}

}  // namespace glassbox::tracer
