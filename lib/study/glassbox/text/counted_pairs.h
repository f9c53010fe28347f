#pragma once
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox {

namespace steps::counted_pairs {
inline constexpr const char* layer = "counted_pairs";
inline constexpr StepInfo words{layer, "words", "",
                                "The distinct words, a row each: letters by their numbers, 0 after them."};
inline constexpr StepInfo counts{layer, "counts", "", "How often each word occurs in the corpus."};
inline constexpr StepInfo letters{layer, "letters", "the distinct numbers in words, ascending",
                                  "Each letter once: its place here says which id it has."};
inline constexpr StepInfo ids{layer, "ids", "4 + a where words is letters_a",
                              "The words in ids: 0 to 3 are <pad>, <start>, <end> and <unk>."};
inline constexpr StepInfo pairs{layer, "pairs", "Σ counts over the places where b follows a",
                                "How often each token (column) directly follows each other (row)."};
inline constexpr StepInfo merges{layer, "merges", "argmax of pairs, counted again after each",
                                 "The pairs that become a token: left, right, and the new token's id."};
inline constexpr StepInfo text{layer, "text", "", "Words that may differ from the corpus's."};
inline constexpr StepInfo tokens{layer, "tokens", "ids of text, merged in the order of merges",
                                 "These words in tokens, <pad> after them."};
}  // namespace steps::counted_pairs

// Byte-pair encoding as it is explained (Sennrich et al. 2016, section 3.2), on letters, for a few words: all
// pairs are counted again after each merge. learn_byte_pairs() makes the same merges without that.
namespace counted_pairs {

inline constexpr index_t unknown = Vocabulary::first_word, first_letter = unknown + 1;

using TokenIds = std::vector<index_t>;  // ids

struct PairCount {
    index_t left = 0, right = 0;
    double count = 0;
};
struct PairMerge {
    index_t left = 0, right = 0, joined = 0;
};

// The rows up to their padding, and back: (words, width) with `behind` in place of what is missing.
std::vector<TokenIds> words_of(const Tensor& ids);
Tensor rows_of(const std::vector<TokenIds>& words, index_t width, index_t behind = Vocabulary::padding);
std::vector<PairMerge> merges_of(const Tensor& rows);  // (merges, 3)

// Neighbours in the words, in the order in which they are met; each word counts as often as its weight.
std::vector<PairCount> pairs_in(const std::vector<TokenIds>& words, const std::vector<real>& weights);
// The counts of pairs of ids below `size`: (size, size).
Tensor table_of(const std::vector<PairCount>& pairs, index_t size);

// The joined token at each place of the pair, from left to right.
void apply(const PairMerge& merge, TokenIds& word);

}  // namespace counted_pairs

struct CountedPairs {
    Tensor letters;  // (A)
    Tensor merges;   // (n, 3)
};

// From the distinct words (W, L) of a corpus and their counts (W). Each merge is of the two neighbours that
// occur most often, of equally frequent ones those with the smaller id on the left, then on the right; rows
// of 0 where no pair is left. Steps: words counts letters ids pairs merges.
CountedPairs learn_counted_pairs(const Tensor& words, const Tensor& counts, index_t how_many);

// Other words (W', L') in these tokens. Letters that the corpus lacks become <unk>. Steps: text tokens.
Tensor encode_counted_pairs(const Tensor& text, const CountedPairs& learned);

}  // namespace glassbox
