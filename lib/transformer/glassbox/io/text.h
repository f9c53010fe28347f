#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glassbox {

// Length in bytes, 1 to 4, of the UTF-8 character at `position`; 0 if the bytes are not valid UTF-8 (overlong
// forms, surrogates and values above U+10FFFF are not).
std::size_t utf8_length(std::string_view text, std::size_t position);

char32_t utf8_code(std::string_view text, std::size_t position);  // the code point of a valid character

bool is_utf8(std::string_view text);
bool is_ascii(std::string_view text);

// Length in bytes of the character at `position` if it can be shown unescaped: 0 for control characters,
// which a terminal would execute, for marks that change the text direction, break lines or are invisible, and
// for invalid UTF-8. (Unicode's Cc, Bidi_Control, U+2028, U+2029, U+FEFF, U+FFF9 to U+FFFB and the tags from
// U+E0000.)
std::size_t printable_length(std::string_view text, std::size_t position);

// The escape for a character that cannot be shown, "\x1b" or "\u202e"; advances `position` past it.
std::string escaped(std::string_view text, std::size_t& position);

// Untrusted text made safe for a message: characters that cannot be shown are escaped, and the result is
// truncated at `max_bytes`.
std::string printable(std::string_view text, std::size_t max_bytes = 200);

// The same for lines written to a terminal or a file: line breaks and tabs are kept, nothing is truncated.
std::string printable_lines(std::string_view text);

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
