#pragma once
#include <vector>

#include <glassbox/train/examples.h>

namespace glassbox {

// Pairs of token sequences, to be learned by teacher forcing: source, target, labels (n, T), source_lengths
// and target_lengths (n) (text/teacher_forcing.h), padded to the longest of the batch; where `unknown`,
// <unk>, is among the targets also answers: labels with −1 in its place, which are counted as right or wrong.
class TokenPairs final : public DataSet {
  public:
    using Sentences = std::vector<std::vector<index_t>>;  // ids as Tokenizer::encode returns them

    // Throws Error if the numbers differ.
    TokenPairs(Sentences source, Sentences target, index_t unknown = -1);

    index_t size() const override { return static_cast<index_t>(source_.size()); }
    Examples at(const std::vector<index_t>& rows) const override;
    // Batches of sentences of like lengths, in the order in which the first sentence of each was drawn.
    void arrange(std::vector<index_t>& rows, index_t batch) const override;

    const Sentences& source() const { return source_; }
    const Sentences& target() const { return target_; }

  private:
    Sentences source_, target_;
    index_t unknown_ = -1;
};

}  // namespace glassbox
