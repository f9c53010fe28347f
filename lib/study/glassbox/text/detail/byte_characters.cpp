#include <glassbox/text/detail/tokenizer_json.h>

#include <array>
#include <map>

#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/unicode.h>

namespace glassbox::detail {

namespace {

// In Latin-1: not a space, a control character or the soft hyphen.
bool is_visible(int byte) { return (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD); }

std::array<char32_t, 256> all_characters() {
    std::array<char32_t, 256> characters{};
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte)
        characters[static_cast<std::size_t>(byte)] = is_visible(byte) ? static_cast<char32_t>(byte) : next++;
    return characters;
}

std::map<char32_t, char> all_bytes() {
    std::map<char32_t, char> bytes;
    for (int byte = 0; byte < 256; ++byte)
        bytes[byte_character(static_cast<std::uint8_t>(byte))] = static_cast<char>(byte);
    return bytes;
}

}  // namespace

}  // namespace glassbox::detail

namespace glassbox {

char32_t byte_character(std::uint8_t byte) {
    static const std::array<char32_t, 256> characters = detail::all_characters();
    return characters[byte];
}

}  // namespace glassbox

namespace glassbox::detail {

std::string byte_characters(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) append_utf8(text, byte_character(static_cast<std::uint8_t>(byte)));
    return text;
}

std::string bytes_of_characters(std::string_view characters) {
    static const std::map<char32_t, char> bytes = all_bytes();
    std::string found;
    for_each_code(characters, [&](char32_t code, std::size_t at, std::size_t length) {
        const auto byte = bytes.find(code);
        if (byte == bytes.end()) found += characters.substr(at, length);
        else found += byte->second;
    });
    return found;
}

}  // namespace glassbox::detail
