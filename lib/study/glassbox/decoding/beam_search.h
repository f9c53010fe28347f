#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::beam_search {
inline constexpr const char* layer = "beam_search";
inline constexpr StepInfo log_probability{
    layer, "log_probability", "log_probability of the sequence so far + ln next",
    "The logarithm of each sequence's probability, continued by each word: a product of probabilities."};
inline constexpr StepInfo parent{layer, "parent", "the row of log_probability",
                                 "The sequence that each of the best continues."};
inline constexpr StepInfo token{layer, "token", "the column of log_probability",
                                "The word by which it continues it. The largest sums are kept."};
inline constexpr StepInfo score{layer, "score", "log_probability / ((5 + n) / 6)^α",
                                "Divided by the length penalty: n words are compared with fewer fairly."};
// Of a table with an end token, behind the last step:
inline constexpr StepInfo sequences{layer, "sequences", "the tokens of each, −1 behind them",
                                    "Every sequence that has ended, then those that were cut off."};
inline constexpr StepInfo complete{layer, "complete", "the log_probability of each",
                                   "The logarithm of each sequence's probability, as it was when it ended."};
inline constexpr StepInfo length{layer, "length", "n of each",
                                 "How many tokens each has, the end among them."};
inline constexpr StepInfo penalty{layer, "penalty", "((5 + length) / 6)^α", "The length penalty of each."};
inline constexpr StepInfo power{layer, "penalty", "length^α",
                                "The length penalty of each, a power of its length."};
inline constexpr StepInfo final_score{layer, "score", "complete / penalty",
                                      "Divided by the length penalty. The largest one is written."};
}  // namespace steps::beam_search

// lp(n) of a sequence of n tokens. α = 0: sequences are compared by their probabilities, which favours short
// ones.
enum class LengthPenalty {
    wu,     // ((5 + n) / 6)^α (Wu et al. 2016, equation 14)
    power,  // n^α, as in Hugging Face's generate(); 1: the mean of the logarithms
};
double length_penalty(index_t n, double alpha, LengthPenalty form = LengthPenalty::wu);

template <>
struct EnumWords<LengthPenalty> {
    static constexpr const char* what = "penalty form";
    static constexpr Word<LengthPenalty> all[] = {{LengthPenalty::wu, "wu"}, {LengthPenalty::power, "power"}};
};

}  // namespace glassbox
