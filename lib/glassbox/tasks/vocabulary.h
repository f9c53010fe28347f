#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Words by number: padding, start and end first, then each word in the order in which it was first met
// (fourth document, "vocabulary creation").
class Vocabulary {
  public:
    static constexpr index_t padding = 0, start = 1, end = 2;

    Vocabulary() : words_{"<pad>", "<start>", "<end>"} {}
    explicit Vocabulary(const std::vector<std::vector<std::string>>& sentences);

    index_t add(const std::string& word);               // its number, new or old
    index_t operator[](const std::string& word) const;  // throws Error when it is not there
    const std::string& word(index_t id) const;          // throws Error when there is no such number
    index_t size() const { return static_cast<index_t>(words_.size()); }

  private:
    std::vector<std::string> words_;
};

// The words between white space. Throws Error when the text is not UTF-8.
std::vector<std::string> split_words(std::string_view text);

// Sentences of numbers as one tensor (batch, longest), padded at the end; and their real lengths.
struct PaddedBatch {
    Tensor tokens;
    std::vector<index_t> lengths;
};
PaddedBatch padded(const std::vector<std::vector<index_t>>& sentences);

}  // namespace glassbox
