#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tracer {

// The characters of a text, which is UTF-8; a byte that belongs to none becomes U+FFFD.
std::vector<char32_t> characters(std::string_view text);
std::string utf8(char32_t character);

// How many columns of a terminal it takes: 0 for a combining mark, 2 for Chinese, Japanese, Korean and emoji.
int width_of(char32_t character);
int width_of(std::string_view text);

// The text in at most `most` columns, its end replaced by "…" where it is longer.
std::string shortened(std::string_view text, int most);

// The text in lines of at most `most` columns, broken at spaces and where it is broken already; only a word
// that is longer stands out. What follows a new break begins with `indent`. 0: as it is.
std::string wrapped(std::string_view text, int most, const std::string& indent = "");
// Each line of a text so, and what follows a break two columns further in than its line: for arithmetic,
// whose
// "= …" stand below each other.
std::string wrapped_lines(std::string_view text, int most);

}  // namespace tracer
