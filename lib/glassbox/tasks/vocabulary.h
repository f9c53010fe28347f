#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Words and their numbers: padding, start and end first, then the words in order of first occurrence
// (fourth document, "vocabulary creation").
class Vocabulary {
  public:
    static constexpr index_t padding = 0, start = 1, end = 2;

    Vocabulary() : words_{"<pad>", "<start>", "<end>"} {}
    explicit Vocabulary(const std::vector<std::vector<std::string>>& sentences);

    index_t add(const std::string& word);               // returns its number; may be there already
    index_t operator[](const std::string& word) const;  // throws Error for an unknown word
    const std::string& word(index_t id) const;          // throws Error for an unknown number
    index_t size() const { return static_cast<index_t>(words_.size()); }

  private:
    std::vector<std::string> words_;
};

// Splits at white space. Throws Error when the text is not UTF-8.
std::vector<std::string> split_words(std::string_view text);

// Sentences of token numbers as one tensor (batch, longest), padded at the end, with their lengths.
struct PaddedBatch {
    Tensor tokens;
    std::vector<index_t> lengths;
};
PaddedBatch padded(const std::vector<std::vector<index_t>>& sentences);

}  // namespace glassbox
