#include <glassbox/tasks/language_learner.h>

#include <algorithm>

#include <glassbox/tasks/classified.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

TextWindows::TextWindows(std::vector<index_t> tokens, index_t length, index_t unknown)
    : tokens_(std::move(tokens)), length_(length) {
    if (std::find(tokens_.begin(), tokens_.end(), unknown) != tokens_.end()) unknown_ = unknown;
    if (length < 1) fail("text: needs windows of at least 1 token, got {}", length);
}

index_t TextWindows::size() const {
    const auto count = static_cast<index_t>(tokens_.size());
    return count > 0 ? (count - 1) / length_ : 0;
}

// labels_t = tokens_{t+1}
Examples TextWindows::at(const std::vector<index_t>& rows) const {
    const Shape shape{static_cast<index_t>(rows.size()), length_};
    std::vector<real> tokens, labels;
    for (const index_t row : rows) {
        if (row < 0 || row >= size()) fail("text: no window {}: there are {}", row, size());
        const auto begin = tokens_.begin() + row * length_;
        tokens.insert(tokens.end(), begin, begin + length_);
        labels.insert(labels.end(), begin + 1, begin + 1 + length_);
    }
    Examples examples{{{"tokens", Tensor(shape, tokens)}, {"labels", Tensor(shape, labels)}}};
    if (unknown_ >= 0) examples.arrays.emplace_back("answers", answers_among(examples["labels"], unknown_));
    return examples;
}

Outcome LanguageLearner::score(const Examples& examples) const {
    return classified(model(examples["tokens"]), examples["labels"], options_,
                      examples.has("answers") ? examples["answers"] : Tensor());
}

index_t LanguageLearner::counted(const Examples& examples) const { return count_labels(examples["labels"]); }

}  // namespace glassbox
