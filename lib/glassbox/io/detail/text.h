#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassbox {

// Length in bytes, 1 to 4, of the UTF-8 character at `position`; 0 where the bytes are none (overlong forms,
// surrogates and values above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t position);

char32_t utf8_code(std::string_view text, std::size_t position);  // of a character that is one

bool is_utf8(std::string_view text);

// How long the character at `position` is when it may be shown as it is: 0 for control characters, which a
// terminal would obey, for marks that turn the direction of the text around them, break a line or have no
// shape, and for bytes that are no UTF-8. (Unicode's Cc, Bidi_Control, U+2028, U+2029, U+FEFF, U+FFF9 to
// U+FFFB and the tags from U+E0000.)
std::size_t shown_length(std::string_view text, std::size_t position);

// What stands in place of a character that may not be shown, "\x1b" or "\u202e"; `position` moves behind it.
std::string escaped(std::string_view text, std::size_t& position);

// Text from a file, fit to be shown in a message: what may not be shown is escaped; more than `most` bytes
// are cut.
std::string printable(std::string_view text, std::size_t most = 200);

// Whole lines on their way to a terminal or a file: the same, but line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace glassbox
