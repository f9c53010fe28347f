#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/codes.h>
#include <glassbox/text/unicode.h>

namespace glassbox {
namespace {

enum class CharacterClass { letter, number, space, other };

struct Character {
    CharacterClass kind;
    std::size_t length;
};

CharacterClass kind_of(char32_t code) {
    if (is_letter(code)) return CharacterClass::letter;
    if (is_number(code)) return CharacterClass::number;
    return is_space(code) ? CharacterClass::space : CharacterClass::other;
}

Character character_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) return {kind_of(first), 1};
    return {kind_of(utf8_code(text, at)), utf8_length(text, at)};
}

// 's|'t|'re|'ve|'m|'ll|'d: its length, or 0.
std::size_t contraction(std::string_view text) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (text.starts_with(ending)) return ending.size();
    return 0;
}

// The end of the characters of one kind in a row; `last` is where the last of them begins.
std::size_t end_of_run(std::string_view text, std::size_t at, CharacterClass kind, std::size_t& last) {
    while (at < text.size()) {
        const Character here = character_at(text, at);
        if (here.kind != kind) break;
        last = at;
        at += here.length;
    }
    return at;
}

std::size_t end_of_piece(std::string_view text, std::size_t at) {
    if (const std::size_t length = contraction(text.substr(at))) return at + length;
    std::size_t last = at;
    const std::size_t begin = text[at] == ' ' && at + 1 < text.size() ? at + 1 : at;
    const CharacterClass kind = character_at(text, begin).kind;
    if (kind != CharacterClass::space) return end_of_run(text, begin, kind, last);
    const std::size_t end = end_of_run(text, at, CharacterClass::space, last);
    // White space before something else leaves its last character to that.
    return end == text.size() || last == at ? end : last;
}

}  // namespace

std::vector<std::string_view> gpt2_pre_tokens(std::string_view text) {
    check_utf8(text);
    std::vector<std::string_view> pre_tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = end_of_piece(text, at);
        pre_tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return pre_tokens;
}

}  // namespace glassbox
