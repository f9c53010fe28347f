#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

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
}  // namespace steps::beam_search

// lp(n) = ((5 + n) / 6)^α for a sequence of n tokens (Wu et al. 2016, equation 14). α = 0: sequences are
// compared by their probabilities, which favours short ones.
double length_penalty(index_t n, double alpha);

}  // namespace glassbox
