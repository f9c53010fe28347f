#pragma once
#include <unordered_map>
#include <vector>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// A baseline: each token by itself becomes the one that occurs with it most in pairs of sentences, by Dice's
// coefficient 2 n(s, t) / (n(s) + n(t)), in which n counts sentences. Tokens that were not seen are left out.
class WordForWord {
  public:
    using Sentences = std::vector<std::vector<index_t>>;  // of ids
    // Learns from the first `max_pairs` pairs.
    WordForWord(const Sentences& source, const Sentences& target, std::size_t max_pairs = 100'000);

    std::vector<index_t> operator()(const std::vector<index_t>& sentence) const;

  private:
    std::unordered_map<index_t, index_t> translations_;
};

}  // namespace glassbox
