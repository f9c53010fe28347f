#include <glassbox/io/text.h>

#include <algorithm>
#include <iterator>
#include <utility>

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
    const bool out_of_range = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || out_of_range ? 0 : length;
}

char32_t utf8_code(std::string_view text, std::size_t position) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
    const std::size_t length = utf8_length(text, position);
    if (length <= 1) return byte(0);
    char32_t code = byte(0) & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3F);
    return code;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

namespace {

bool is_hidden(char32_t c) {
    constexpr std::pair<char32_t, char32_t> hidden[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
        {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
        {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F},
    };
    return std::any_of(std::begin(hidden), std::end(hidden),
                       [c](const auto& range) { return c >= range.first && c <= range.second; });
}

}  // namespace

std::size_t printable_length(std::string_view text, std::size_t position) {
    const char first = text[position];
    if (first >= ' ' && first <= '~') return 1;  // fast path
    const std::size_t length = utf8_length(text, position);
    return length == 0 || is_hidden(utf8_code(text, position)) ? 0 : length;
}

std::string escaped(std::string_view text, std::size_t& position) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, position), 1);
    const std::size_t at = position;
    position += length;
    if (length == 1) return fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    const auto code = static_cast<std::uint32_t>(utf8_code(text, at));
    return code > 0xFFFF ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
}

namespace {

// Appends the character at `i`, escaped if necessary, and advances `i` past it.
void append_shown(std::string& shown, std::string_view text, std::size_t& i) {
    const std::size_t length = printable_length(text, i);
    if (length == 0) {
        shown += escaped(text, i);
        return;
    }
    shown += text.substr(i, length);
    i += length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        if (shown.size() >= max_bytes) return shown + "…";
        append_shown(shown, text, i);
    }
    return shown;
}

std::string printable_lines(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\n' || text[i] == '\t') shown += text[i++];
        else append_shown(shown, text, i);
    }
    return shown;
}

}  // namespace glassbox
