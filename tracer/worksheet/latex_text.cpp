#include "worksheet/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <glassbox/io/text.h>
#include <glassbox/text/unicode.h>

#include "cli/text_width.h"

namespace glassbox::tracer {

namespace {

struct Replacement {
    char32_t character;
    const char* latex;
};

constexpr Replacement text_specials[] = {{'\\', "$\\backslash$"},
                                         {'{', "\\{"},
                                         {'}', "\\}"},
                                         {'$', "\\char36{}"},
                                         {'&', "\\&"},
                                         {'#', "\\#"},
                                         {'%', "\\%"},
                                         {'_', "\\_"},
                                         {'^', "\\^{}"},
                                         {'~', "\\~{}"},
                                         {'<', "$<$"},
                                         {'>', "$>$"},
                                         {'|', "$|$"},
                                         {'"', "''"},
                                         {'`', "{`}"},
                                         {'\'', "{'}"},
                                         {'\t', " "},
                                         {'\n', " "}};

constexpr Replacement letters[] = {
    {U'ß', "\\ss{}"},    {U'æ', "\\ae{}"},    {U'Æ', "\\AE{}"},    {U'œ', "\\oe{}"}, {U'Œ', "\\OE{}"},
    {U'ø', "\\o{}"},     {U'Ø', "\\O{}"},     {U'ł', "\\l{}"},     {U'Ł', "\\L{}"},  {U'ı', "\\i{}"},
    {U'¿', "?`"},        {U'¡', "!`"},        {U'–', "--"},        {U'—', "---"},    {U'…', "\\dots{}"},
    {U'’', "{'}"},       {U'‘', "{`}"},       {U'“', "``"},        {U'”', "''"},     {U'§', "\\S{}"},
    {U'°', "$^\\circ$"}, {U'·', "$\\cdot$"},  {U'×', "$\\times$"}, {U'−', "$-$"},    {U'→', "$\\to$"},
    {U'√', "$\\surd$"},  {U'∞', "$\\infty$"}, {U'≠', "$\\ne$"},    {U'≤', "$\\le$"}, {U'≥', "$\\ge$"},
    {U'\u00a0', "~"}};

constexpr Replacement accents[] = {{0x300, "\\`"}, {0x301, "\\'"}, {0x302, "\\^"}, {0x303, "\\~"},
                                   {0x304, "\\="}, {0x306, "\\u"}, {0x307, "\\."}, {0x308, "\\\""},
                                   {0x30A, "\\r"}, {0x30B, "\\H"}, {0x30C, "\\v"}, {0x323, "\\d"},
                                   {0x327, "\\c"}};

template <std::size_t n>
const char* found_in(const Replacement (&all)[n], char32_t character) {
    for (const Replacement& each : all)
        if (each.character == character) return each.latex;
    return nullptr;
}

bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Nested, the first mark innermost; "" if LaTeX has no command for one of them.
std::string accented(const std::vector<char32_t>& decomposed) {
    if (decomposed.size() < 2 || decomposed.size() > 4 || !is_ascii_letter(decomposed[0])) return "";
    std::string text = utf8(decomposed[0]);
    for (std::size_t i = 1; i < decomposed.size(); ++i) {
        const char* accent = found_in(accents, decomposed[i]);
        if (!accent) return "";
        text = fmt::format("{}{{{}}}", accent, text);
    }
    return text;
}

// A character with its marks that is not ASCII.
std::string foreign(std::string_view character) {
    const std::vector<char32_t> decomposed = characters(nfd(character));
    if (decomposed.size() == 1)
        if (const char* latex = found_in(letters, decomposed[0])) return latex;
    if (const std::string text = accented(decomposed); !text.empty()) return text;
    std::string text;
    for (const char32_t each : characters(nfc(character))) {
        const auto code = static_cast<std::uint32_t>(each);
        const std::vector<char32_t> parts = characters(nfd(utf8(each)));
        const bool has_base = parts.size() > 1 && is_ascii_letter(parts[0]);  // ą without its hook
        text += fmt::format("\\uni{{{:04X}}}{{{}}}", code,
                            has_base ? utf8(parts[0]) : fmt::format("[U+{:04X}]", code));
    }
    return text;
}

std::string in_typewriter(char32_t c) {
    if (c == '\'') return "\\straight{}";
    if (c == '-') return "{-}";
    if (c == ' ') return " ";
    const bool is_plain = is_ascii_letter(c) || (c >= '0' && c <= '9');
    if (is_plain) return utf8(c);
    const std::string text = fmt::format("\\char{}{{}}", static_cast<unsigned>(c));
    return c == ',' || c == '/' || c == '=' ? text + "\\allowbreak{}" : text;
}

template <class Ascii>
std::string converted(std::string_view text, Ascii ascii) {
    const std::string safe = printable_lines(text);
    std::string result;
    for (const std::string_view each : graphemes(safe)) {
        const auto first = static_cast<unsigned char>(each[0]);
        if (each.size() == 1 && first < 0x80) result += ascii(static_cast<char32_t>(first));
        else if (each == "\r\n") result += ' ';
        else result += foreign(each);
    }
    return result;
}

// A word that only mathematics sets well: d_k, √2, Kᵀ, β₁.
bool is_mathematics(std::string_view word) {
    constexpr std::size_t longest = 100;  // bytes; what is longer is a user's text
    if (word.size() > longest) return false;
    if (word.find('_') != word.npos || word.find('^') != word.npos) return true;
    const std::vector<char32_t> all = characters(word);
    return std::any_of(all.begin(), all.end(),
                       [](char32_t c) { return c >= 0x80 && !found_in(letters, c) && has_latex_math(c); }) ||
           word.find("√") != word.npos || word.find("−") != word.npos;
}

}  // namespace

std::string latex_text(std::string_view text) {
    return converted(text, [](char32_t c) {
        const char* special = found_in(text_specials, c);
        return special ? std::string(special) : utf8(c);
    });
}

std::string latex_code(std::string_view text) { return converted(text, in_typewriter); }

std::string latex_sentence(std::string_view text) {
    std::string result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        std::string_view word = text.substr(begin, end - begin), behind;
        if (const std::size_t last = word.find_last_not_of(".,;:"); last != word.npos) {
            behind = word.substr(last + 1);
            word = word.substr(0, last + 1);
        }
        result += begin > 0 ? " " : "";
        result += is_mathematics(word) ? "$" + latex_math(word) + "$" : latex_text(word);
        result += latex_text(behind);
        begin = end + 1;
    }
    return result;
}

bool needs_unicode_fonts(std::string_view text) {
    return latex_text(text).find("\\uni{") != std::string::npos;
}

}  // namespace glassbox::tracer
