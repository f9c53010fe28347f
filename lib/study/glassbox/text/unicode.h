#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassbox {

// Unicode as utf8proc knows it (its version: unicode_version()): normal forms, categories, case, grapheme
// clusters. Text is UTF-8; all functions that take text throw Error if it is not, with the byte.

// "text: at byte 3: not UTF-8"
void check_utf8(std::string_view text);

// Normal form C: é as one code point, whether it was written as one or as e and an accent. Throws Error for
// more than 1,000 combining marks in a row, which no language has and which would take minutes.
[[nodiscard]] std::string nfc(std::string_view text);

// Normal form D: é as e and an accent.
[[nodiscard]] std::string nfd(std::string_view text);

// Each code point in lower case by itself, as Rust's to_lowercase and without a language's rules: Σ becomes σ
// at the end of a word too, and İ becomes i with a dot above.
[[nodiscard]] std::string lower_case(std::string_view text);

// What readers see as one character: a letter with its accents, an emoji with its modifiers (extended
// grapheme clusters of Unicode's annex 29). The parts refer to `text`.
[[nodiscard]] std::vector<std::string_view> graphemes(std::string_view text);

// The first of them; `text` is valid.
[[nodiscard]] std::string_view first_grapheme(std::string_view text);

// By general category.
[[nodiscard]] bool is_letter(char32_t code);           // L
[[nodiscard]] bool is_number(char32_t code);           // N
[[nodiscard]] bool is_mark(char32_t code);             // M
[[nodiscard]] bool is_nonspacing_mark(char32_t code);  // Mn: accents
[[nodiscard]] bool is_punctuation(char32_t code);      // P
[[nodiscard]] bool is_control(char32_t code);          // C
[[nodiscard]] bool is_space(char32_t code);            // White_Space: Z, tab to carriage return, next line

// "15.0.0"
[[nodiscard]] const char* unicode_version();

void append_utf8(std::string& text, char32_t code);

}  // namespace glassbox
