#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glassbox::tracer {

// The code points of a UTF-8 text; a byte that is part of none becomes U+FFFD.
std::vector<char32_t> characters(std::string_view text);
std::string utf8(char32_t character);

// The width in terminal columns: 0 for a combining mark, 2 for Chinese, Japanese, Korean and emoji.
int width_of(char32_t character);
int width_of(std::string_view text);
int shown_width(std::string_view text);  // of a text with the colours that styled() adds

// The widest of its lines, with the colours that styled() adds.
int widest_line(std::string_view text);
// Texts of lines side by side, each in `column` columns.
std::string beside(const std::vector<std::string>& texts, int column);

// The text in at most `max_width` columns, its end replaced by "…" if it is longer.
std::string shortened(std::string_view text, int max_width);

// A word and its position in the text, counted from 0: "cat₁". Everything on a terminal and on paper that is
// a row or a column of a word has this name.
std::string at_position(std::string_view word, std::size_t position);

// "√dₖ" for √d_k, for a terminal: an index of one letter or digit below the line, where Unicode has all of
// those that this letter has in the text (d_model has none, so d_k beside it stays).
std::string with_indices(std::string_view text);

// Wraps at spaces to lines of at most `max_width` columns, keeping existing line breaks; only a longer word
// exceeds it. Never between = and the result behind it, nor inside a shape, (1, 2, 3). Lines after a new
// break begin with `indent`. max_width 0: no wrapping. Colours have no width.
std::string wrapped(std::string_view text, int max_width, const std::string& indent = "");
// Wraps each line, indenting continuations by two more columns than the line: for arithmetic, in which the
// "= …" are aligned.
std::string wrapped_lines(std::string_view text, int max_width);

}  // namespace glassbox::tracer
