#include <glassbox/io/text.h>

#include <glassbox/io/json.h>

#include <string>
#include <tuple>
#include <vector>

#include "support/catch.h"

using namespace glassbox;

namespace {

// RFC 3629: a code point in UTF-8, whether or not it may be encoded.
std::string utf8(unsigned code) {
    const auto byte = [](unsigned value) { return static_cast<char>(value); };
    const auto next = [&](int shift) { return byte(0x80 + (code >> shift) % 64); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xC0 + (code >> 6)), next(0)};
    if (code < 0x10000) return {byte(0xE0 + (code >> 12)), next(6), next(0)};
    return {byte(0xF0 + (code >> 18)), next(12), next(6), next(0)};
}

}  // namespace

TEST_CASE("text: every code point but the surrogates is one character of UTF-8, with its code") {
    unsigned wrong = 0;
    for (unsigned code = 0; code <= 0x110000; ++code) {
        const std::string text = "ab" + utf8(code) + "c";
        const bool is_valid = (code < 0xD800 || code > 0xDFFF) && code <= 0x10FFFF;
        const std::size_t length = utf8_length(text, 2);
        if (length != (is_valid ? text.size() - 3 : 0)) ++wrong;
        if (is_valid && utf8_code(text, 2) != code) ++wrong;
        if (is_utf8(text) != is_valid) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("text: what is not UTF-8 is noticed at the first and the last byte of every kind") {
    for (const std::string wrong : {"\x80",
                                    "\xBF",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xE0\x80\x80",
                                    "\xE0\x9F\xBF",
                                    "\xF0\x80\x80\x80",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF5\x80\x80\x80",
                                    "\xFF",
                                    "\xED\xA0\x80",
                                    "\xED\xBF\xBF",
                                    "\xC2",
                                    "\xE1\x80",
                                    "\xF1\x80\x80",
                                    "\xC2\x20",
                                    "\xC2\xC0",
                                    "\xE1\x20\x80",
                                    "\xE1\x80\x20",
                                    "\xE1\x80\xC0",
                                    "\xF1\x20\x80\x80",
                                    "\xF1\x80\x20\x80",
                                    "\xF1\x80\x80\x20",
                                    "\xF1\x80\x80\xC0"}) {
        INFO(json_string(wrong));
        CHECK(utf8_length(wrong, 0) == 0);
        CHECK(utf8_length("x" + wrong, 1) == 0);
        CHECK_FALSE(is_utf8(wrong));
        CHECK_FALSE(is_utf8("é" + wrong));
        CHECK(printable_length(wrong, 0) == 0);
        CHECK(utf8_code(wrong, 0) == static_cast<unsigned char>(wrong[0]));
    }
    for (const std::string right : {"", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                    "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        CHECK(is_utf8(right));
}

// From the Unicode Character Database: Cc, Bidi_Control, what breaks lines, joins or is a tag, and what XML
// cannot hold.
TEST_CASE("text: characters that cannot be seen are told from those beside them") {
    struct Range {
        unsigned first, last;
    };
    const Range hidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                            {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                            {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};
    std::vector<bool> expected(0x110000, false);
    for (const Range& range : hidden)
        for (unsigned code = range.first; code <= range.last; ++code) expected[code] = true;
    unsigned wrong = 0;
    for (unsigned code = 0; code < 0x110000; ++code) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        const std::string text = "a" + utf8(code);
        if (printable_length(text, 1) != (expected[code] ? 0 : text.size() - 1)) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("text: an escape is as long as its character") {
    const std::tuple<std::string, std::string, std::size_t> cases[] = {{"\x1b[", "\\x1b", 1},
                                                                       {"\n", "\\x0a", 1},
                                                                       {"\xFF\xFF", "\\xff", 1},
                                                                       {"\u0085x", "\\u0085", 2},
                                                                       {"\u202ex", "\\u202e", 3},
                                                                       {"\uFFFBx", "\\ufffb", 3},
                                                                       {"\U00010000x", "\\U00010000", 4},
                                                                       {"\U000E0001x", "\\U000e0001", 4}};
    for (const auto& [text, expected, length] : cases) {
        std::size_t position = 1;
        CHECK(escaped("a" + text, position) == expected);
        CHECK(position == 1 + length);
    }
}

TEST_CASE("text: what is shown of a text ends at the limit, with a mark where something is left out") {
    CHECK(printable("abc", 3) == "abc");
    CHECK(printable("abcd", 3) == "abc…");
    CHECK(printable("", 0).empty());
    CHECK(printable("a", 0) == "…");
    CHECK(printable("ab\x1b", 3) == "ab\\x1b");
    CHECK(printable("ab\x1b"
                    "c",
                    3) == "ab\\x1b…");
    CHECK(printable("aéé", 4) == "aéé");
    CHECK(printable("aééé", 4) == "aéé…");
    CHECK(printable(std::string(200, 'x')) == std::string(200, 'x'));
    CHECK(printable(std::string(201, 'x')) == std::string(200, 'x') + "…");
    CHECK(printable("a\nb\tλ 漢\xFF") == "a\\x0ab\\x09λ 漢\\xff");
}

TEST_CASE("text: lines keep their breaks and tabs, and are never cut") {
    CHECK(printable_lines("a\tb\nλ\x1b\r\u202e") == "a\tb\nλ\\x1b\\x0d\\u202e");
    CHECK(printable_lines(std::string(10'000, 'x')) == std::string(10'000, 'x'));
    CHECK(printable_lines("").empty());
    CHECK(printable_lines("\n\n") == "\n\n");
}

TEST_CASE("json: every escape at its limits") {
    CHECK(json_string("\t\r\n\"\\") == R"("\t\r\n\"\\")");
    CHECK(json_string("\x7F") == R"("\u007f")");
    CHECK(json_string("\uFFFB\uFFFC") == "\"\\ufffb\uFFFC\"");
    CHECK(json_string("\U000E0000\U000E007F") == R"("\udb40\udc00\udb40\udc7f")");
    CHECK(json_string("") == "\"\"");
}
