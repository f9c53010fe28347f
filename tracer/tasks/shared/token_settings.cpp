#include "tasks/shared/token_settings.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

void declare(SettingTable& table, TokenSettings& s) {
    constexpr SettingName tokens{"tokens", names::data, "KIND", "What texts are split into"},
        vocabulary{"vocabulary", names::data, "N", "Maximum number of tokens, the most frequent ones"},
        min_count{"min-count", names::data, "N", "Tokens that occur less often are unknown"},
        tie{"tie", names::model, "TABLES", "Which embeddings are one table with the output layer's weights"};
    table.value(tokens, s.tokenizer.kind);
    table.value(vocabulary, s.tokenizer.vocabulary, {.max = 1 << 24});
    table.value(min_count, s.tokenizer.min_count);
    table.value(tie, s.tied);
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
        "{:.0f} % of the tokens{}{} are {}, not in the vocabulary, and never count as right: --tokens bpe "
        "has none of these, --tokens characters few",
        100 * lacking / all, which, of, Vocabulary::unknown_word);
}

}  // namespace glassbox
