#include "figures/font.h"

#include <algorithm>

namespace tracer {
namespace {

const Picture* find(char32_t character) {
    const Picture* end = font_pictures + font_size;
    const Picture* found = std::lower_bound(font_pictures, end, character,
                                            [](const Picture& p, char32_t c) { return p.character < c; });
    return found != end && found->character == character ? found : nullptr;
}

bool is_blank(char32_t character) { return character == ' ' || character == 0xA0; }

std::uint16_t digit(char c) { return static_cast<std::uint16_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

}  // namespace

bool has_glyph(char32_t character) { return is_blank(character) || find(character); }

Glyph glyph(char32_t character) {
    Glyph result{};
    if (is_blank(character)) return result;
    const Picture* picture = find(character);
    if (!picture) picture = find(0x25A1);
    for (std::size_t row = 0; row < font_height; ++row)
        for (std::size_t k = 0; k < 3; ++k)
            result[row] = static_cast<std::uint16_t>(result[row] << 4 | digit(picture->rows[3 * row + k]));
    return result;
}

}  // namespace tracer
