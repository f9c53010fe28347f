#include "tasks/shared/token_settings.h"

#include <algorithm>

#include <glassbox/models/transformer.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

std::vector<TaskSetting> token_settings() {
    return {{"tokens", "Data", "KIND", "What texts are split into", words<TokenKind>()},
            {"vocabulary", "Data", "N", "The most frequent tokens, at most so many"},
            {"min-count", "Data", "N", "Tokens that occur less often are unknown"},
            {"tie", "Model", "TABLES", "Which embeddings are one table with the output layer's weights",
             words<TiedTables>()}};
}

std::string unknown_note(const Tokenizer& tokenizer, const std::vector<std::vector<index_t>>& sentences,
                         const std::string& which, const std::string& of) {
    const index_t unknown = tokenizer.vocabulary().unknown();
    double all = 0, lacking = 0;
    for (const auto& sentence : sentences) {
        all += static_cast<double>(sentence.size());
        lacking += static_cast<double>(std::count(sentence.begin(), sentence.end(), unknown));
    }
    constexpr double a_few = 10;
    if (unknown < 0 || lacking < a_few || lacking / all < 0.2) return "";
    return fmt::format(
        "{:.0f} % of the tokens{}{} are {}, not in the vocabulary, and no right answer: --tokens bpe "
        "has none such, --tokens characters few",
        100 * lacking / all, which, of, Vocabulary::unknown_word);
}

TokenizerConfig tokenizer_config(const Settings& settings) {
    TokenizerConfig config;
    config.kind = parse<TokenKind>(settings.text("tokens"));
    config.vocabulary = settings.whole("vocabulary", 1, 1 << 24);
    config.min_count = settings.whole("min-count", 1, index_t{1} << 40);
    return config;
}

}  // namespace glassbox
