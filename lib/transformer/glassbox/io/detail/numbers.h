#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glassbox {

// Parses numbers given by the user. Invalid text throws UsageError, which names `option`.

// "--seq: expected a whole number, got 'x'"; "--seq: expected at least 1, got 0"
std::int64_t parse_integer(const std::string& option, const std::string& text, std::int64_t min,
                           std::int64_t max = INT64_MAX);
// "--rate: expected a number, got 'x'"; "--rate: expected at least 0, got -1"
double parse_real(const std::string& option, const std::string& text, double min);
std::uint64_t parse_seed(const std::string& option, const std::string& text);

// A number of a file: beyond a double's range ±∞, or ±0 where it is too small. None unless all of the text is
// one.
std::optional<double> number_in(std::string_view text);

}  // namespace glassbox
