#pragma once
#include <string>
#include <string_view>

namespace glassbox::tracer {

// Printed text in the characters that the reader of numbers knows: UTF-8 without a byte order mark, from
// UTF-16 with one or Windows' own; one kind of minus sign, blank, quotation mark and line end; without
// colours and the lines of boxes.
std::string with_plain_characters(std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Of a word: a letter of any alphabet or '_'.
inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

// UTF-16 begins with a byte order mark, as PowerShell's > and Excel write it.
bool is_utf16(std::string_view bytes);

}  // namespace glassbox::tracer
