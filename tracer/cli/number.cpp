#include "cli/number.h"

#include <fmt/format.h>
#include <glassbox/tensor/print.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace glassbox::tracer {

std::string number(real value, int precision) {
    if (!std::isfinite(value)) return not_finite(value);
    const real size = std::abs(value);
    if (size != 0 && (size < real(1e-4) || size >= real(1e8))) return scientific(value, precision);
    const bool would_be_0 = size < real(0.5) * std::pow(real(10), -precision);
    if (size != 0 && (would_be_0 || precision >= 4)) {
        const int digits = precision >= 4 ? 3 : 2;
        precision = std::max(precision, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
    }
    std::string text = positional(value, precision);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string aligned_number(real value, int decimals) {
    if (!std::isfinite(value)) return not_finite(value);
    std::string text = positional(value, decimals);
    if (static_cast<real>(std::strtod(text.c_str(), nullptr)) != value)
        text = fmt::format("{:.{}f}", value, decimals);
    else if (text.ends_with('.')) text.pop_back();
    if (text[0] == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
    return text;
}

std::string operand(real value, int precision) {
    const std::string text = number(value, precision);
    return text[0] == '-' ? '(' + text + ')' : text;
}

std::string with_short_exponents(std::string text) {
    for (std::size_t at; (at = text.find("e+")) != text.npos;) text.erase(at + 1, 1);
    return text;
}

std::string root_or_number(real value) {
    const double square = static_cast<double>(value) * static_cast<double>(value);
    const double whole = std::round(square);
    if (whole >= 2 && whole < 1e6 && std::abs(square - whole) < 1e-6 * whole && value != std::round(value))
        return "√" + std::to_string(static_cast<long>(whole));
    return operand(value);
}

}  // namespace glassbox::tracer
