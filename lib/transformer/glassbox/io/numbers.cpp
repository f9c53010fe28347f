#include <glassbox/io/text.h>

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::int64_t parse_integer(const std::string& option, const std::string& text, std::int64_t min,
                           std::int64_t max) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        end == text.data() + text.size() && !text.empty() && error != std::errc::invalid_argument;
    if (!is_number) fail<UsageError>("{}: expected a whole number, got '{}'", option, printable(text));
    const bool overflows = error == std::errc::result_out_of_range;  // in the direction of the sign
    if (overflows ? text[0] == '-' : value < min)
        fail<UsageError>("{}: expected at least {}, got {}", option, min, printable(text));
    if (overflows || value > max)
        fail<UsageError>("{}: expected at most {}, got {}", option, max, printable(text));
    return value;
}

double parse_real(const std::string& option, const std::string& text, double min) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        fail<UsageError>("{}: expected a number, got '{}'", option, printable(text));
    if (value < min) fail<UsageError>("{}: expected at least {}, got {}", option, min, text);
    return value;
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail<UsageError>("{}: expected a whole number from 0 to 18446744073709551615, got '{}'", option,
                         printable(text));
    return value;
}

std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error != std::errc::result_out_of_range) return number;
    std::istringstream in{std::string(text)};  // to distinguish too small from too large
    in.imbue(std::locale::classic());
    in >> number;
    return std::copysign(std::abs(number) < 1 ? 0 : INFINITY, text[0] == '-' ? -1 : 1);
}

}  // namespace glassbox
