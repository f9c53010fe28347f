#include "report/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/print.h>

#include "cli/output.h"

namespace tracer {

std::string heated(const std::string& text, glassbox::real value, double low, double high) {
    static constexpr int ramp[] =  // of a terminal with 256 colours
        {17, 18, 24, 30, 236, 94, 130, 166, 160};
    if (!std::isfinite(value) || glassbox::is_hidden_score(value)) return styled(text, "2", true);
    const double at = high > low ? (static_cast<double>(value) - low) / (high - low) : 0.5;
    const int color = ramp[std::clamp(static_cast<int>(at * 9), 0, 8)];
    return styled(styled(text, "38;5;255", true), fmt::format("48;5;{}", color), true);
}

}  // namespace tracer
