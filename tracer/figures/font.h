#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tracer {

// A fixed-width font for pictures: Latin, Greek and Cyrillic letters, combining accents, some mathematics.
constexpr int font_width = 10, font_height = 20, font_ascent = 16;  // pixels

using Glyph = std::array<std::uint16_t, font_height>;  // rows from the top; the leftmost pixel is bit 9

// An empty box for a character the font has not.
Glyph glyph(char32_t character);
bool has_glyph(char32_t character);

// The table: sorted by character.
struct Picture {
    char32_t character;
    char rows[3 * font_height + 1];  // three hexadecimal digits a row
};
extern const Picture font_pictures[];
extern const std::size_t font_size;

}  // namespace tracer
