#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glassbox {

// Parses numbers given by the user. Invalid text throws UsageError, which names `option`.

// "--seq: a whole number expected, got 'x'"; "--seq: at least 1 expected, got 0"
std::int64_t parse_integer(const std::string& option, const std::string& text, std::int64_t min,
                           std::int64_t max = INT64_MAX);
// "--rate: a number expected, got 'x'"; "--rate: at least 0 expected, got -1"
double parse_real(const std::string& option, const std::string& text, double min);
std::uint64_t parse_seed(const std::string& option, const std::string& text);

// A number of a file: beyond a double's range ±∞, or ±0 where it is too small. None unless all of the text is
// one.
std::optional<double> number_in(std::string_view text);

}  // namespace glassbox
