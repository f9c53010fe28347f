#include <glassbox/text/characters.h>

#include <glassbox/io/json.h>
#include <glassbox/text/detail/pre_token_counts.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/unicode.h>

namespace glassbox {

using namespace detail;

namespace {

std::string visible(std::string_view character) { return character == " " ? "␣" : std::string(character); }

}  // namespace

std::string CharacterTokenizer::normalized(std::string_view text) const {
    return normal_text(text, lower_case_);
}

std::vector<std::string_view> CharacterTokenizer::pre_tokens(std::string_view normalized) const {
    return graphemes(normalized);
}

void CharacterTokenizer::encode_pre_token(std::string_view pre_token, std::vector<index_t>& ids) const {
    ids.push_back(vocabulary_[pre_token]);
}

std::vector<std::string> CharacterTokenizer::tokens(std::string_view text) const {
    const std::string normal = normalized(text);
    std::vector<std::string> shown;
    for (const std::string_view character : graphemes(normal)) shown.push_back(visible(character));
    return shown;
}

std::string CharacterTokenizer::shown(index_t id) const { return visible(vocabulary_.word(id)); }

std::string CharacterTokenizer::decode(const std::vector<index_t>& ids) const {
    std::string text;
    for (const index_t id : ids) {
        const std::string& character = vocabulary_.word(id);
        if (!Vocabulary::is_special(id)) text += character;
    }
    return text;
}

std::string CharacterTokenizer::json() const {
    return tokenizer_json(name(TokenKind::characters), vocabulary_, {{"lower_case", lower_case_}});
}

std::shared_ptr<const CharacterTokenizer> learn_characters(const std::vector<std::string>& corpus,
                                                           const TokenizerConfig& config) {
    return std::make_shared<CharacterTokenizer>(
        learned_words(count_pre_tokens(corpus, config.lower_case, graphemes), config), config.lower_case);
}

}  // namespace glassbox
