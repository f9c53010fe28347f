#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The words that BLEU compares: those of mteval-v13a, sacrebleu's tokenizer "13a". Punctuation and symbols of
// ASCII are separate words, but points and commas within numbers are not. UTF-8.
std::vector<std::string> words_13a(std::string_view text);

struct Bleu {
    static constexpr std::size_t orders = 4;  // n-grams of 1 to 4 words

    double score = 0;  // 0 to 100
    std::array<double, orders> precisions{};
    double brevity = 1;  // the penalty for translations that are shorter than the references
    index_t length = 0, reference_length = 0;  // words
};

namespace steps::bleu {
inline constexpr const char* layer = "bleu";
inline constexpr StepInfo translation{layer, "translation", "", "The words that were written, as numbers."};
inline constexpr StepInfo reference{layer, "reference", "", "The words that were expected."};
inline constexpr StepInfo ngrams{layer, "ngrams", "length + 1 − n, for n from 1 to 4",
                                 "How many words, pairs, triples and fours in a row were written."};
inline constexpr StepInfo matches{
    layer, "matches", "Σ min(times written, times in the reference)",
    "How many of these the reference has; each counts at most as often as it stands there."};
inline constexpr StepInfo precisions{layer, "precisions", "matches / ngrams", "The share that is right."};
inline constexpr StepInfo brevity{layer, "brevity", "exp(min(0, 1 − reference length / length))",
                                  "The penalty for writing less than the reference; 1 for more."};
inline constexpr StepInfo bleu{layer, "bleu", "brevity · exp(¼ Σ ln precisions)",
                               "The geometric mean of the four shares, times the penalty: 1 is the best."};
}  // namespace steps::bleu

// One translation (n) against one reference (m), words as numbers, step by step, from 0 to 1 and without
// smoothing (Papineni et al. 2002, section 2.3): what bleu() sums over a corpus first. Shape (). Throws Error
// for less than a row of four words.
Tensor bleu_by_steps(const Tensor& translation, const Tensor& reference);

// Papineni et al. 2002, with the smoothing of mteval-v13a (an order without a match counts 1/2, 1/4, …, of
// one), as sacrebleu computes it for a corpus with one reference each. Throws Error for lists of different
// lengths.
Bleu bleu(const std::vector<std::string>& translations, const std::vector<std::string>& references);

// For one sentence, with the orders that it is long enough for (sacrebleu's sentence_bleu).
Bleu sentence_bleu(const std::string& translation, const std::string& reference);

// chrF2 (Popović 2015): how many n-grams of 1 to 6 characters, white space left out, translation and
// reference share, from 0 to 100; recall counts twice as much as precision. As sacrebleu computes it for a
// corpus with one reference each. UTF-8; characters are code points. Throws Error for lists of different
// lengths.
double chrf(const std::vector<std::string>& translations, const std::vector<std::string>& references);

}  // namespace glassbox
