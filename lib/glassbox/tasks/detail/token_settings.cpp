#include <glassbox/tasks/detail/token_settings.h>

#include <glassbox/models/transformer.h>

namespace glassbox {

std::vector<TaskSetting> token_settings() {
    return {{"tokens", "Data", "KIND", "What texts are split into", words<TokenKind>()},
            {"vocabulary", "Data", "N", "The most frequent tokens, at most so many"},
            {"min-count", "Data", "N", "Tokens that occur less often are unknown"},
            {"tie", "Model", "TABLES", "Which embeddings are one table with the output layer's weights",
             words<TiedTables>()}};
}

TokenizerConfig tokenizer_config(const Settings& settings) {
    TokenizerConfig config;
    config.kind = parse<TokenKind>(settings.text("tokens"));
    config.vocabulary = settings.whole("vocabulary", 1, 1 << 24);
    config.min_count = settings.whole("min-count", 1, index_t{1} << 40);
    return config;
}

}  // namespace glassbox
