#pragma once
#include <cstdint>
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::sampling {
inline constexpr const char* layer = "sampling";
inline constexpr StepInfo logits{layer, "logits", "", "A score for each word to come next."};
inline constexpr StepInfo tokens{layer, "tokens", "", "The words that were read or written before."};
inline constexpr StepInfo penalised{layer, "penalised",
                                    "logits / θ where above 0, else logits θ, of tokens that were there",
                                    "What was read or written before is less likely to come again."};
inline constexpr StepInfo tempered{layer, "tempered", "{0:logits} / temperature",
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

// The logits of each row (rows, vocabulary) at these tokens of its own divided by θ where they are above 0,
// else multiplied by it, each once (Keskar et al. 2019, with the sign as in transformers); negative ones are
// padding. Throws Error for θ ≤ 0, for other than a list of tokens a row, and for a token that has no logit.
Tensor penalised(const Tensor& logits, const std::vector<std::vector<index_t>>& tokens, double theta);

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
