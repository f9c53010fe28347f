#include <glassbox/tensor/print.h>

#include <charconv>
#include <cmath>

namespace glassbox {
namespace {

// std::to_chars: the shortest digits that round-trip, or exactly `precision` digits after the point.
std::string digits(real value, std::chars_format format, int precision = -1) {
    char buffer[512];  // longest case: about 310 digits before the point and 17 after it
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

std::string scientific(real value, int precision, int min_digits) {
    const std::string text = digits(value, std::chars_format::scientific);
    const std::size_t point = text.find('.'), e = text.find('e');
    const int digits_after = point == std::string::npos ? 0 : static_cast<int>(e - point - 1);
    if (digits_after < min_digits) return digits(value, std::chars_format::scientific, min_digits);
    if (digits_after <= precision) return text;
    std::string rounded = digits(value, std::chars_format::scientific, precision);
    if (precision <= min_digits) return rounded;
    const std::size_t exponent = rounded.find('e');
    std::size_t last = rounded.find_last_not_of('0', exponent - 1);
    if (rounded[last] == '.') --last;
    return rounded.erase(last + 1, exponent - last - 1);
}

std::string not_finite(real value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

}  // namespace glassbox
