#include "cli/text_width.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include <glassbox/io/text.h>

namespace glassbox::tracer {
namespace {

struct Range {
    char32_t first, last;
};

// The main blocks of Unicode's East Asian Width W and F and of general category Mn.
constexpr Range no_width[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
                              {0x64B, 0x65F},   {0x93C, 0x93C},   {0x94D, 0x94D},   {0x1AB0, 0x1AFF},
                              {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
                              {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
constexpr Range double_width[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t n>
bool is_in(const Range (&ranges)[n], char32_t character) {
    return std::any_of(std::begin(ranges), std::end(ranges), [&](const Range& range) {
        return character >= range.first && character <= range.last;
    });
}

}  // namespace

std::vector<char32_t> characters(std::string_view text) {
    std::vector<char32_t> result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        result.push_back(length == 0 ? 0xFFFD : utf8_code(text, i));
        i += std::max<std::size_t>(length, 1);
    }
    return result;
}

std::string utf8(char32_t character) {
    const auto last = [&](int shift) { return static_cast<char>(0x80 | ((character >> shift) & 0x3F)); };
    if (character < 0x80) return {static_cast<char>(character)};
    if (character < 0x800) return {static_cast<char>(0xC0 | (character >> 6)), last(0)};
    if (character < 0x10000) return {static_cast<char>(0xE0 | (character >> 12)), last(6), last(0)};
    return {static_cast<char>(0xF0 | (character >> 18)), last(12), last(6), last(0)};
}

int width_of(char32_t character) {
    if (character < 0x300) return 1;
    return is_in(no_width, character) ? 0 : is_in(double_width, character) ? 2 : 1;
}

int width_of(std::string_view text) {
    int width = 0;
    for (const char32_t character : characters(text)) width += width_of(character);
    return width;
}

int shown_width(std::string_view text) {
    int width = 0;
    for (std::size_t at; (at = text.find("\x1b[")) != std::string_view::npos;) {
        width += width_of(text.substr(0, at));
        const std::size_t end = text.find('m', at);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return width + width_of(text);
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

// A colour that goes on in the next line ends and begins with the lines.
void close_colors(std::vector<std::string>& lines) {
    std::string open;
    for (std::string& line : lines) {
        line = open + line;
        open.clear();
        for (std::size_t at = 0; (at = line.find("\x1b[", at)) != line.npos;) {
            const std::string code = line.substr(at, line.find('m', at) + 1 - at);
            open = code == "\x1b[0m" ? "" : open + code;
            at += code.size();
        }
        if (!open.empty()) line += "\x1b[0m";
    }
}

}  // namespace

int widest_line(std::string_view text) {
    int width = 0;
    for (const std::string& line : lines_of(std::string(text))) width = std::max(width, shown_width(line));
    return width;
}

std::string beside(const std::vector<std::string>& texts, int column) {
    std::vector<std::string> all;  // the lines so far
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::vector<std::string> lines = lines_of(texts[i]);
        close_colors(lines);
        all.resize(std::max(all.size(), lines.size()));
        for (std::size_t n = 0; n < lines.size(); ++n) {
            const int gap = std::max(0, column * static_cast<int>(i) - shown_width(all[n]));
            if (!lines[n].empty()) all[n] += std::string(static_cast<std::size_t>(gap), ' ') + lines[n];
        }
    }
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    return text;
}

std::string shortened(std::string_view text, int max_width) {
    if (width_of(text) <= max_width) return std::string(text);
    std::string result;
    int width = 0;
    for (const char32_t character : characters(text)) {
        width += width_of(character);
        if (width > max_width - 1) break;
        result += utf8(character);
    }
    return result + "…";
}

namespace {

// Where the word at `from` ends that no line break may cut: a sign with what follows it, "= 0.2796" and "+
// 0.5", and a shape, "(1, 2, 3)".
std::size_t end_of_word(std::string_view text, std::size_t from) {
    const auto end_at = [&](std::size_t at) { return std::min(text.find_first_of(" \n", at), text.size()); };
    std::size_t end = end_at(from);
    const std::string_view word = text.substr(from, end - from);
    constexpr std::string_view signs[] = {"=", "≈", "+", "-", "/"};
    const bool is_sign = std::find(std::begin(signs), std::end(signs), word) != std::end(signs);
    if (is_sign && end < text.size() && text[end] == ' ') return end_of_word(text, end + 1);
    std::size_t at = from;
    if (text.substr(at).starts_with("\x1b[")) at = std::min(text.find('m', at), text.size() - 1) + 1;
    if (at >= end || text[at] != '(') return end;
    const std::size_t close = text.find_first_not_of("0123456789, ", at + 1);
    return close != text.npos && text[close] == ')' && text.substr(at, close - at).find(", ") != text.npos
               ? end_at(close)
               : end;
}

}  // namespace

std::string at_position(std::string_view word, std::size_t position) {
    std::string name(word);
    for (const char digit : std::to_string(position)) name += utf8(U'₀' + static_cast<char32_t>(digit - '0'));
    return name;
}

namespace {

constexpr std::pair<char, const char*> indices[] = {
    {'0', "₀"}, {'1', "₁"}, {'2', "₂"}, {'3', "₃"}, {'4', "₄"}, {'a', "ₐ"},
    {'e', "ₑ"}, {'h', "ₕ"}, {'i', "ᵢ"}, {'j', "ⱼ"}, {'k', "ₖ"}, {'l', "ₗ"},
    {'m', "ₘ"}, {'n', "ₙ"}, {'t', "ₜ"}, {'v', "ᵥ"}, {'x', "ₓ"}};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Of the index that begins here; null where Unicode has none, or it is longer.
const char* index_at(std::string_view text, std::size_t at) {
    const char after = at + 1 < text.size() ? text[at + 1] : ' ';
    if (at >= text.size() || is_in_word(after) ||
        (after == ',' && at + 2 < text.size() && text[at + 2] != ' '))
        return nullptr;
    for (const auto& [letter, below] : indices)
        if (text[at] == letter) return below;
    return nullptr;
}

// The letters before the underscore: "d", "head", "Σ".
std::string_view base_before(std::string_view text, std::size_t underscore) {
    std::size_t begin = underscore;
    while (begin > 0 && (is_in_word(text[begin - 1]) || static_cast<unsigned char>(text[begin - 1]) >= 0x80))
        --begin;
    const std::string_view root = "√";
    if (text.substr(begin).starts_with(root)) begin += root.size();
    return text.substr(begin, underscore - begin);
}

}  // namespace

std::string with_indices(std::string_view text) {
    std::set<std::string_view> kept;  // letters with an index that has no character
    for (std::size_t i = text.find('_'); i != text.npos; i = text.find('_', i + 1))
        if (!index_at(text, i + 1)) kept.insert(base_before(text, i));
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view base = text[i] == '_' ? base_before(text, i) : "";
        if (base.empty() || kept.contains(base)) {
            result += text[i];
            continue;
        }
        result += index_at(text, ++i);
    }
    return result;
}

std::string wrapped(std::string_view text, int max_width, const std::string& indent) {
    if (max_width <= 0) return std::string(text);
    std::string result;
    int used = 0;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = end_of_word(text, from);
        const std::string_view word = text.substr(from, end - from);
        if (from > 0 && text[from - 1] == '\n') {
            result += '\n';
            used = 0;
        } else if (from > 0 && used + 1 + shown_width(word) > max_width) {
            // An address that would not fit behind the indentation begins further left: whole it can be
            // opened.
            const int room = std::max(0, max_width - shown_width(word));
            const std::string before =
                indent.substr(0, std::min(indent.size(), static_cast<std::size_t>(room)));
            result += "\n" + before;
            used = width_of(before);
        } else if (from > 0) {
            result += ' ';
            ++used;
        }
        result += word;
        used += shown_width(word);
        from = end + 1;
    }
    return result;
}

std::string wrapped_lines(std::string_view text, int max_width) {
    std::string result;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view line = text.substr(from, end - from);
        const std::size_t inset = std::min(line.find_first_not_of(' '), line.size());
        result += (from > 0 ? "\n" : "") + wrapped(line, max_width, std::string(inset + 2, ' '));
        from = end + 1;
    }
    return result;
}

}  // namespace glassbox::tracer
