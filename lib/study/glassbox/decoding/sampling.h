#pragma once
#include <cstdint>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::sampling {
inline constexpr const char* layer = "sampling";
inline constexpr StepInfo tempered{layer, "tempered", "logits / temperature",
                                   "Below 1 the likely words become more likely, above 1 less."};
inline constexpr StepInfo top_k{layer, "top_k", "{0}, but −∞ except for the k largest",
                                "Only the k most likely words can be drawn."};
inline constexpr StepInfo top_p{
    layer, "top_p", "{0}, but −∞ after a probability of p",
    "Only the most likely words that together have the probability p can be drawn."};
inline constexpr StepInfo u{layer, "u", "", "The random number, from 0 to 1, of this step."};
inline constexpr StepInfo token{layer, "token", "the first word with Σ next > u",
                                "A word is drawn as often as its probability says."};
}  // namespace steps::sampling

// The k largest logits of each row (…, vocabulary), the first of equal ones, and −∞ for the others (Fan et
// al. 2018). NaN is the largest, so that it is left. Throws Error for k < 1.
Tensor top_k(const Tensor& logits, index_t k);

// The smallest set of largest logits of each row whose softmax sums to at least p, and −∞ for the others:
// nucleus sampling (Holtzman et al. 2020). At least one stays, and all of a row whose softmax is NaN. Throws
// Error unless 0 < p ≤ 1.
Tensor top_p(const Tensor& logits, double p);

// The number of step `step` of sentence `sentence`, uniform in [0, 1): a function only of these and the seed.
double uniform_draw(std::uint64_t seed, index_t step, index_t sentence);

// The first index with Σ_{j ≤ index} p_j > u Σ p. probabilities (vocabulary); u in [0, 1).
index_t drawn(const Tensor& probabilities, double u);

}  // namespace glassbox
