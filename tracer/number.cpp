#include "number.h"

#include <charconv>
#include <cmath>

namespace tracer {
namespace {

// std::to_chars: the shortest digits that read back, or exactly `precision` of them after the point.
std::string digits(real value, std::chars_format format, int precision = -1) {
    char buffer[512];  // the longest: some 310 digits before the point, 17 behind it
    char* const end = buffer + sizeof buffer;
    const auto result = precision < 0 ? std::to_chars(buffer, end, value, format)
                                      : std::to_chars(buffer, end, value, format, precision);
    return std::string(buffer, result.ptr);
}

}  // namespace

std::string positional(real value, int precision) {
    std::string text = digits(value, std::chars_format::fixed);
    const std::size_t point = text.find('.');
    if (point == std::string::npos) return text + '.';
    if (text.size() - point - 1 > static_cast<std::size_t>(precision))
        text = digits(value, std::chars_format::fixed, precision);
    if (precision == 0) return text + '.';
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

std::string scientific(real value, int precision, int least) {
    const std::string text = digits(value, std::chars_format::scientific);
    const std::size_t point = text.find('.'), e = text.find('e');
    const int have = point == std::string::npos ? 0 : static_cast<int>(e - point - 1);
    if (have < least) return digits(value, std::chars_format::scientific, least);
    if (have <= precision) return text;
    std::string cut = digits(value, std::chars_format::scientific, precision);
    if (precision <= least) return cut;
    const std::size_t exponent = cut.find('e');
    std::size_t last = cut.find_last_not_of('0', exponent - 1);
    if (cut[last] == '.') --last;
    return cut.erase(last + 1, exponent - last - 1);
}

std::string not_finite(real value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

std::string number(real value, int precision) {
    if (!std::isfinite(value)) return not_finite(value);
    const real size = std::abs(value);
    if (size != 0 && (size < real(1e-4) || size >= real(1e8))) return scientific(value, precision);
    std::string text = positional(value, precision);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string operand(real value, int precision) {
    const std::string text = number(value, precision);
    return text[0] == '-' ? '(' + text + ')' : text;
}

std::string root_or_number(real value, int precision) {
    const double square = static_cast<double>(value) * static_cast<double>(value);
    const double whole = std::round(square);
    if (whole >= 2 && whole < 1e6 && std::abs(square - whole) < 1e-6 * whole && value != std::round(value))
        return "√" + std::to_string(static_cast<long>(whole));
    return operand(value, precision);
}

}  // namespace tracer
