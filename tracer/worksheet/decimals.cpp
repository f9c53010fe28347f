#include "worksheet/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

namespace glassbox::tracer {

namespace {

constexpr int max_decimals = 17;
constexpr double max_fixed = 1e7;  // larger numbers are written with an exponent

bool has_a_point(real value) {
    return std::isfinite(value) && !is_hidden_score(value) &&
           std::abs(static_cast<double>(value)) < max_fixed;
}

// |value|, moved to the next number with this many decimals if it is half way, up to the rounding of `real`.
double without_half(double value, int decimals) {
    constexpr double max_tolerance = 0.01;  // in units of the last digit
    const double power = std::pow(10.0, decimals), units = value * power, whole = std::floor(units);
    const double epsilon = std::numeric_limits<real>::epsilon();
    const double tolerance = std::min(max_tolerance, 2 * epsilon * power * std::max(value, 1.0));
    return std::abs(units - whole - 0.5) < tolerance ? (whole + 1) / power : value;
}

}  // namespace

int decimals_of(const Tensor& x, int wanted) {
    double largest = 0;
    bool is_whole = true;
    for (const real value : x.values()) {
        if (!has_a_point(value)) continue;
        largest = std::max(largest, std::abs(static_cast<double>(value)));
        is_whole = is_whole && value == std::round(value);
    }
    if (is_whole || wanted == 0) return 0;
    constexpr double smallest = 5e-18;  // with max_decimals
    if (largest < smallest)
        fail<UsageError>(
            "worksheet: numbers below {:g} would be printed as 0, and of a tensor the largest is {:g}",
            smallest, largest);
    const auto for_size = [&](double size) {
        const int zeros = -static_cast<int>(std::floor(std::log10(size))) - 1;  // after the point
        return std::min(wanted + std::max(zeros, 0), max_decimals);
    };
    // 0.0996 with 3 decimals is 0.100, for which 2 are enough: a rounded tensor keeps its decimals.
    const int decimals = for_size(largest);
    const double unit = std::pow(10.0, -decimals);
    return for_size(std::round(largest / unit) * unit * (1 + 1e-12));
}

std::string sheet_number(real value, int decimals) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
    if (!has_a_point(value)) {
        std::string text = fmt::format("{:g}", value);  // "-9e+15"
        if (const std::size_t plus = text.find("e+"); plus != text.npos) text.erase(plus + 1, 1);
        return text;
    }
    const std::string text =
        fmt::format("{:.{}f}", without_half(std::abs(static_cast<double>(value)), decimals), decimals);
    const bool is_zero = text.find_first_not_of("0.") == text.npos;
    return value < 0 && !is_zero ? "-" + text : text;
}

std::string footer_words(const Sheet& sheet) {
    const std::string name = "Sheet " + sheet.number;
    return sheet.is_key ? fmt::format("{}. {}. To print this key again: ", name, sheet.origin) : name;
}

std::string points_words(const Sheet& sheet) {
    return sheet.questions.empty() ? "one for each number" : "one for each number, two for each question";
}

std::string copied_words(const SheetStep& step) {
    if (step.copied.empty()) return "";
    return step.is_copied_in_part ? "To copy, for no points: the empty places have their numbers in"
                                  : "Nothing to compute: its numbers stand in";
}

Tensor rounded(const Tensor& x, int decimals) {
    bool changes = false;
    std::vector<real> values = x.values();
    for (real& value : values) {
        if (!std::isfinite(value) || is_hidden_score(value)) continue;
        const auto shown = static_cast<real>(std::strtod(sheet_number(value, decimals).c_str(), nullptr));
        changes = changes || shown != value;
        value = shown;
    }
    return changes ? Tensor(x.shape(), values).to(x.device()) : x;
}

}  // namespace glassbox::tracer
