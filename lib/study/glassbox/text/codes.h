#pragma once
#include <cstddef>
#include <string_view>

#include <glassbox/io/text.h>

namespace glassbox {

// Calls f(code point, position, length in bytes) with each code point of valid UTF-8.
template <class F>
void for_each_code(std::string_view text, F f) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        f(length == 1 ? char32_t(first) : utf8_code(text, i), i, length);
        i += length;
    }
}

// The first code point of valid UTF-8 that is not empty.
inline char32_t first_code(std::string_view text) { return utf8_code(text, 0); }

}  // namespace glassbox
