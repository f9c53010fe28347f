#include <glassbox/io/detail/numbers.h>

#include <charconv>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        end == text.data() + text.size() && !text.empty() && error != std::errc::invalid_argument;
    if (!is_number) fail<UsageError>("{}: a whole number expected, got '{}'", option, text);
    const bool is_beyond = error == std::errc::result_out_of_range;  // then the sign says on which side
    if (is_beyond ? text[0] == '-' : value < least)
        fail<UsageError>("{}: at least {} expected, got {}", option, least, text);
    if (is_beyond || value > most) fail<UsageError>("{}: at most {} possible, got {}", option, most, text);
    return value;
}

double real_number(const std::string& option, const std::string& text, double least) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        fail<UsageError>("{}: a number expected, got '{}'", option, text);
    if (value < least) fail<UsageError>("{}: at least {} expected, got {}", option, least, text);
    return value;
}

std::uint64_t seed_number(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail<UsageError>("{}: a whole number from 0 to 18446744073709551615 expected, got '{}'", option,
                         text);
    return value;
}

}  // namespace glassbox
