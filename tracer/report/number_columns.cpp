#include "report/number_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <glassbox/tensor/print.h>

#include "cli/number.h"

namespace glassbox::tracer {
namespace {

bool are_whole(const std::vector<real>& values) {
    constexpr real max_exact = 1 << 24;
    return std::all_of(values.begin(), values.end(),
                       [](real x) { return std::abs(x) <= max_exact && x == std::round(x); });
}

bool is_regular(real value) { return std::isfinite(value) && !is_hidden_score(value); }

int exponent_of(double x) { return static_cast<int>(std::floor(std::log10(x))); }

int after_point(const std::string& text) {
    const std::size_t point = text.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(text.size() - point);
}

}  // namespace

NumberColumns::NumberColumns(const std::vector<real>& values, Report::Kind kind, int digits, bool is_short)
    : is_short_(is_short), is_whole_(kind == Report::Kind::word && are_whole(values)), digits_(digits) {
    for (const real value : values)
        if (is_regular(value)) largest_ = std::max(largest_, std::abs(static_cast<double>(value)));
    const bool is_small = largest_ > 0 && exponent_of(largest_) < 1 - digits_;
    if (kind == Report::Kind::weight) digits_ = is_small ? 1 - exponent_of(largest_) : digits_;
    else is_scientific_ = is_small || largest_ >= too_large;
    int before = 0, other = 0;
    for (const real value : values) {
        const std::string text = digits_of(value);
        const auto size = static_cast<int>(text.size());
        if (!is_regular(value)) {
            other = std::max(other, size);
            continue;
        }
        after_ = std::max(after_, after_point(text));
        before = std::max(before, size - after_point(text));
    }
    width_ = std::max(before + after_, other);
}

int NumberColumns::fewest_digits() const {
    constexpr int fewest = 2;
    return largest_ > 0 ? std::max(fewest, 1 - exponent_of(largest_)) : fewest;
}

// Without the sign of what is rounded to 0.
std::string NumberColumns::digits_of(real value) const {
    if (!std::isfinite(value)) return not_finite(value);
    if (is_hidden_score(value)) return with_short_exponents(fmt::format("{:g}", value));
    if (is_whole_ || value == 0) return fmt::format("{:.0f}", std::abs(value) > 0 ? value : real(0));
    if (is_scientific_) return fmt::format("{:.{}e}", value, digits_);
    std::string text = aligned_number(value, digits_);
    if (is_short_ && text.starts_with("0.")) text.erase(0, 1);
    return text;
}

std::string NumberColumns::text(real value) const {
    std::string text = digits_of(value);
    const int after = after_point(text);  // points below each other; a whole number stands at the right
    if (is_regular(value) && after > 0) text.append(static_cast<std::size_t>(after_ - after), ' ');
    return std::string(static_cast<std::size_t>(width_) - text.size(), ' ') + text;
}

}  // namespace glassbox::tracer
