#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassbox {

// Length in bytes, 1 to 4, of the UTF-8 character at `position`; 0 where the bytes are none (overlong forms,
// surrogates and values above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t position);

bool is_utf8(std::string_view text);

// Text from a file, fit to be shown in a message: control characters, which a terminal would obey, and bytes
// that are not UTF-8 become \x1b; more than `most` bytes are cut.
std::string printable(std::string_view text, std::size_t most = 200);

}  // namespace glassbox
