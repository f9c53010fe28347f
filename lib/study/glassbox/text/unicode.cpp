#include <glassbox/text/unicode.h>

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include <glassbox/tensor/format.h>
#include <glassbox/text/codes.h>

namespace glassbox {
namespace {

std::string mapped(std::string_view text, int options) {
    utf8proc_uint8_t* result = nullptr;
    const utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                 static_cast<utf8proc_ssize_t>(text.size()), &result,
                                                 static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
    if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
    if (length < 0) fail("text: {}", utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(length)};
}

bool is_category(char32_t code, utf8proc_category_t first, utf8proc_category_t last) {
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
    return category >= first && category <= last;
}

// Code points that are unchanged in every normal form, and that nothing before them combines with: ASCII for
// D, everything before the combining marks for C, and the dashes and quotation marks.
bool is_plain(char32_t code, char32_t first_other) {
    return code < first_other || (code >= 0x2010 && code <= 0x2027);
}

// Whether a text needs to be normalised. Checks it on the way.
bool needs_normalising(std::string_view text, char32_t first_other) {
    constexpr int max_marks = 1000;  // utf8proc sorts marks with insertions
    check_utf8(text);
    bool needs = false;
    int marks = 0;
    for_each_code(text, [&](char32_t code, std::size_t at, std::size_t) {
        if (is_plain(code, first_other)) {
            marks = 0;
            return;
        }
        needs = true;
        marks = is_mark(code) ? marks + 1 : 0;
        if (marks > max_marks) fail("text: at byte {}: more than {} combining marks in a row", at, max_marks);
    });
    return needs;
}

}  // namespace

void check_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = utf8_length(text, i);
        if (length == 0) fail("text: at byte {}: not UTF-8", i);
        i += length;
    }
}

std::string nfc(std::string_view text) {
    constexpr char32_t first_combining = 0x300;
    return needs_normalising(text, first_combining) ? mapped(text, UTF8PROC_COMPOSE) : std::string(text);
}

std::string nfd(std::string_view text) {
    constexpr char32_t first_composed = 0xC0;
    return needs_normalising(text, first_composed) ? mapped(text, UTF8PROC_DECOMPOSE) : std::string(text);
}

std::string lower_case(std::string_view text) {
    check_utf8(text);
    std::string lower;
    lower.reserve(text.size());
    for_each_code(text, [&](char32_t code, std::size_t, std::size_t) {
        constexpr char32_t dotted_capital_i = 0x130, dot_above = 0x307;
        if (code < 0x80) {
            lower += code >= 'A' && code <= 'Z' ? static_cast<char>(code + 32) : static_cast<char>(code);
        } else if (code == dotted_capital_i) {  // the one code point whose lower case is two
            lower += 'i';
            append_utf8(lower, dot_above);
        } else {
            append_utf8(lower, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
        }
    });
    return lower;
}

std::string_view first_grapheme(std::string_view text) {
    std::size_t end = 0;
    char32_t before = 0;
    utf8proc_int32_t state = 0;
    while (end < text.size()) {
        const char32_t code = utf8_code(text, end);
        if (end > 0 && utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                                        static_cast<utf8proc_int32_t>(code), &state))
            break;
        before = code;
        end += utf8_length(text, end);
    }
    return text.substr(0, end);
}

std::vector<std::string_view> graphemes(std::string_view text) {
    check_utf8(text);
    std::vector<std::string_view> clusters;
    for (; !text.empty(); text.remove_prefix(clusters.back().size()))
        clusters.push_back(first_grapheme(text));
    return clusters;
}

bool is_letter(char32_t code) {
    if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return is_category(code, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_number(char32_t code) {
    if (code < 0x80) return code >= '0' && code <= '9';
    return is_category(code, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_mark(char32_t code) {
    return code >= 0x300 && is_category(code, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool is_nonspacing_mark(char32_t code) {
    return is_category(code, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MN);
}

bool is_punctuation(char32_t code) { return is_category(code, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO); }

bool is_control(char32_t code) {
    return is_category(code, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO) ||
           is_category(code, UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_CN);
}

bool is_space(char32_t code) {
    if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
    constexpr char32_t next_line = 0x85;
    return code == next_line || is_category(code, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP);
}

const char* unicode_version() { return utf8proc_unicode_version(); }

void append_utf8(std::string& text, char32_t code) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

}  // namespace glassbox
