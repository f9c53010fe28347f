#include <glassbox/tasks/vocabulary.h>

#include <algorithm>

#include <glassbox/io/detail/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Vocabulary::Vocabulary(const std::vector<std::vector<std::string>>& sentences) : Vocabulary() {
    for (const auto& sentence : sentences)
        for (const std::string& word : sentence) add(word);
}

index_t Vocabulary::add(const std::string& word) {
    const index_t place = std::find(words_.begin(), words_.end(), word) - words_.begin();
    if (place == size()) words_.push_back(word);
    return place;
}

index_t Vocabulary::operator[](const std::string& word) const {
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found == words_.end()) fail("vocabulary: no word '{}' among {}", word, words_.size());
    return found - words_.begin();
}

const std::string& Vocabulary::word(index_t id) const {
    if (id < 0 || id >= size()) fail("vocabulary: no word number {}: there are {}", id, size());
    return words_[static_cast<std::size_t>(id)];
}

std::vector<std::string> split_words(std::string_view text) {
    if (!is_utf8(text)) fail("text: not UTF-8");
    std::vector<std::string> words;
    constexpr std::string_view white = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(white); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(white, at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = text.find_first_not_of(white, end);
    }
    return words;
}

PaddedBatch padded(const std::vector<std::vector<index_t>>& sentences) {
    std::size_t longest = 0;
    for (const auto& sentence : sentences) longest = std::max(longest, sentence.size());
    std::vector<real> tokens;
    PaddedBatch batch;
    for (const auto& sentence : sentences) {
        for (const index_t id : sentence) tokens.push_back(static_cast<real>(id));
        tokens.insert(tokens.end(), longest - sentence.size(), static_cast<real>(Vocabulary::padding));
        batch.lengths.push_back(static_cast<index_t>(sentence.size()));
    }
    batch.tokens =
        Tensor(Shape{static_cast<index_t>(sentences.size()), static_cast<index_t>(longest)}, tokens);
    return batch;
}

}  // namespace glassbox
