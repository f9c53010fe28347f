#include <glassbox/io/text.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::size_t utf8_length(std::string_view text, std::size_t position) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() - position < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool no_character = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || no_character ? 0 : length;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        if (shown.size() >= most) return shown + "…";
        const std::size_t length = utf8_length(text, i);
        const auto first = static_cast<unsigned char>(text[i]);
        const bool c1_control =
            length == 2 && first == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (length == 0 || first < 0x20 || first == 0x7F || c1_control)
            shown += fmt::format("\\x{:02x}", first);
        else shown += text.substr(i, length);
        i += c1_control ? 1 : std::max<std::size_t>(length, 1);
    }
    return shown;
}

}  // namespace glassbox
