#include <glassbox/text/detail/compared.h>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/unicode.h>

namespace glassbox::detail {
namespace {

bool is_space_code(char32_t code) { return is_space(code) || (code >= 0x1c && code <= 0x1f); }

}  // namespace

bool is_python_space(std::string_view text, std::size_t at) {
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
    return utf8_length(text, at) > 0 && is_space_code(utf8_code(text, at));
}

std::vector<std::string> python_words(std::string_view text) {
    check_utf8(text);
    std::vector<std::string> words;
    bool within = false;
    for (std::size_t at = 0, length; at < text.size(); at += length) {
        length = utf8_length(text, at);
        if (is_space_code(utf8_code(text, at))) {
            within = false;
            continue;
        }
        if (!within) words.emplace_back();
        words.back() += text.substr(at, length);
        within = true;
    }
    return words;
}

void check_as_many(const char* metric, const std::vector<std::string>& translations,
                   const std::vector<std::string>& references) {
    if (translations.size() != references.size())
        fail("{}: needs as many translations as references, got {} and {}", metric, translations.size(),
             references.size());
}

}  // namespace glassbox::detail
