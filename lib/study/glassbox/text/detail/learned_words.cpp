#include <glassbox/text/detail/learned_words.h>

#include <algorithm>

namespace glassbox {

Vocabulary learned_words(std::vector<PreTokenCount> counts, const TokenizerConfig& config) {
    std::stable_sort(counts.begin(), counts.end(),
                     [](const PreTokenCount& a, const PreTokenCount& b) { return a.count > b.count; });
    Vocabulary vocabulary;
    vocabulary.set_unknown();
    for (const auto& [word, count] : counts) {
        if (count >= config.min_count && vocabulary.size() < config.vocabulary) vocabulary.add(word, count);
        else vocabulary.count_unknown(count);
    }
    return vocabulary;
}

}  // namespace glassbox
