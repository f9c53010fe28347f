#include "subject/written_text.h"

#include <algorithm>

#include <glassbox/io/text.h>

namespace glassbox::tracer {

namespace {

void append_utf8(std::string& text, char32_t code) {
    const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) return byte(0xC0 | (code >> 6)), byte(0x80 | (code & 0x3F));
    if (code < 0x10000)
        return byte(0xE0 | (code >> 12)), byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F));
    byte(0xF0 | (code >> 18)), byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F));
}

std::string from_utf16(std::string_view bytes) {
    const bool is_little = bytes[0] == '\xFF';
    const auto unit = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const auto second = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<char32_t>(is_little ? first | second << 8 : first << 8 | second);
    };
    constexpr char32_t replacement = 0xFFFD;
    const auto is_low = [](char32_t code) { return code >= 0xDC00 && code < 0xE000; };
    std::string text;
    for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
        char32_t code = unit(at);
        if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size() && is_low(unit(at + 2)))
            code = 0x10000 + ((code - 0xD800) << 10) + (unit(at += 2) - 0xDC00);
        append_utf8(text, code >= 0xD800 && code < 0xE000 ? replacement : code);
    }
    return text;
}

// Windows' code page 1252, as far as numbers are concerned: its dashes; the other bytes are Latin-1's.
std::string from_windows(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append_utf8(text, byte == 0x96 || byte == 0x97 ? U'–' : byte == 0x85 ? U'…' : char32_t{byte});
    }
    return text;
}

struct ReadAs {
    char32_t first, last;
    const char* as;
};

// How a character is read; '\0' in the last place keeps a character that is not listed.
constexpr ReadAs plain_characters[] = {
    {0x01, 0x08, "\x1a"},     // the reader's own marks (written_marks.h)
    {0x0E, 0x0F, "\x1a"},     //
    {0x85, 0x85, "\n"},       //
    {0xA0, 0xA0, " "},        // no-break space
    {0xAD, 0xAD, ""},         // soft hyphen
    {0x2000, 0x200A, " "},    // spaces of typesetters
    {0x200B, 0x200F, ""},     // without width
    {0x2010, 0x2013, "-"},    // hyphens and the short dash
    {0x2018, 0x2019, "'"},    //
    {0x201C, 0x201D, "\""},   //
    {0x2028, 0x2029, "\n"},   //
    {0x202F, 0x202F, " "},    // narrow no-break space: French thousands
    {0x205F, 0x205F, " "},    //
    {0x2060, 0x2060, ""},     //
    {0x2212, 0x2212, "-"},    // MATLAB's and typesetters' minus
    {0x221E, 0x221E, "inf"},  //
    {0x22EE, 0x22F1, "…"},    // ⋮ ⋯ ⋱, where Julia leaves numbers out
    {0x239B, 0x23AD, " "},    // brackets over several lines
    {0x2500, 0x257F, " "},    // boxes
    {0x3000, 0x3000, " "},    //
    {0xFE63, 0xFE63, "-"},    //
    {0xFEFF, 0xFEFF, ""},     // byte order mark
    {0xFF0D, 0xFF0D, "-"},    //
};

const char* plain_character(char32_t code) {
    for (const ReadAs& each : plain_characters)
        if (code >= each.first && code <= each.last) return each.as;
    return nullptr;
}

// Behind a terminal's escape sequence at `at`: a colour, or a link up to its end.
std::size_t behind_escape(std::string_view text, std::size_t at) {
    if (++at >= text.size()) return at;
    if (text[at] == ']') {
        while (at < text.size() && text[at] != '\a' && text[at] != '\x1b' && text[at] != '\n') ++at;
        return std::min(text.size(), at + (at < text.size() && text[at] == '\x1b' ? 2 : 1));
    }
    if (text[at] != '[') return at + 1;
    for (++at; at < text.size() && text[at] >= 0x20 && text[at] < 0x40;) ++at;
    return std::min(text.size(), at + 1);
}

}  // namespace

bool is_utf16(std::string_view bytes) {
    return (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) && bytes.size() >= 4;
}

std::string with_plain_characters(std::string_view bytes) {
    const std::string text = is_utf16(bytes)  ? from_utf16(bytes)
                             : is_utf8(bytes) ? std::string(bytes)
                                              : from_windows(bytes);
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\x1b') {
            at = behind_escape(text, at);
        } else if (c == '\r') {  // of Windows, an old Mac, or a line that was written over
            plain += '\n';
            at += text.substr(at, 2) == "\r\n" ? 2 : 1;
        } else if (c == '\x1a' && at + 1 == text.size()) {  // DOS's end of a file
            ++at;
        } else if ((c >= ' ' && c < '\x7f') || c == '\n' || c == '\t') {
            plain += c, ++at;
        } else {
            const std::size_t length = std::max<std::size_t>(1, utf8_length(text, at));
            const char* const as = plain_character(utf8_code(text, at));
            if (as) plain += as;
            else plain.append(text, at, length);
            at += length;
        }
    }
    return plain;
}

}  // namespace glassbox::tracer
