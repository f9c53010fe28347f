#include <glassbox/tensor/detail/digits.h>

#include <charconv>
#include <cmath>

namespace glassbox {
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

}  // namespace glassbox
