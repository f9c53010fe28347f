#include "tasks/setting_value.h"

#include <algorithm>
#include <limits>

#include <glassbox/io/text.h>

namespace glassbox {

void check_word(const SettingText& typed, const std::vector<std::string>& words) {
    if (std::find(words.begin(), words.end(), typed.text) == words.end())
        fail<UsageError>("{}: expected one of {}, got '{}'", typed.option, fmt::join(words, ", "),
                         printable(typed.text));
}

template <>
index_t SettingValue<index_t>::parse(const SettingText& typed) {
    return parse_integer(typed.option, typed.text, typed.limits.min, typed.limits.max);
}

template <>
std::string SettingValue<index_t>::text(const index_t& value, const SettingLimits& limits) {
    return value == 0 && limits.absent_if_0 ? "" : std::to_string(value);
}

template <>
std::uint64_t SettingValue<std::uint64_t>::parse(const SettingText& typed) {  // a seed
    return parse_seed(typed.option, typed.text);
}

template <>
std::string SettingValue<std::uint64_t>::text(const std::uint64_t& value, const SettingLimits&) {
    return std::to_string(value);
}

template <>
double SettingValue<double>::parse(const SettingText& typed) {
    const auto& [option, text, limits] = typed;
    const double min_real = limits.below_1 ? 0 : limits.min_real,
                 max_real = limits.below_1 ? 1 : limits.max_real;
    const double value = parse_real(option, text, -std::numeric_limits<double>::max());
    if (value < min_real || value > max_real)
        fail<UsageError>("{}: expected a number from {} to {}, got {}", option, min_real, max_real, text);
    if (limits.below_1 && value == 1)
        fail<UsageError>("{}: expected a number at least 0 and less than 1, got 1", option);
    return value;
}

template <>
std::string SettingValue<double>::text(const double& value, const SettingLimits&) {
    return fmt::format("{}", value);
}

template <>
std::string SettingValue<std::string>::parse(const SettingText& typed) {
    return typed.text;
}

template <>
std::string SettingValue<std::string>::text(const std::string& value, const SettingLimits&) {
    return value;
}

namespace {

// "a,b" → "a", "b"
std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; !text.empty();) {
        const std::size_t comma = text.find(',', at);
        words.push_back(text.substr(at, comma - at));
        if (comma == std::string::npos) break;
        at = comma + 1;
    }
    return words;
}

}  // namespace

template <>
std::vector<std::string> SettingValue<std::vector<std::string>>::parse(const SettingText& typed) {
    return typed.text == typed.limits.empty ? std::vector<std::string>() : listed(typed.text);
}

template <>
std::string SettingValue<std::vector<std::string>>::text(const std::vector<std::string>& value,
                                                         const SettingLimits& limits) {
    return value.empty() ? limits.empty : fmt::format("{}", fmt::join(value, ","));
}

std::vector<double> numbers_of(const std::string& option, const std::string& text) {
    std::vector<double> numbers;
    for (const std::string& word : listed(text)) numbers.push_back(parse_real(option, word, -1e30));
    return numbers;
}

template <>
std::vector<double> SettingValue<std::vector<double>>::parse(const SettingText& typed) {
    return numbers_of(typed.option, typed.text);
}

template <>
std::string SettingValue<std::vector<double>>::text(const std::vector<double>& value, const SettingLimits&) {
    return fmt::format("{}", fmt::join(value, ","));
}

}  // namespace glassbox
