#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/step.h>

namespace glassbox {

namespace steps::token_embedding {
inline constexpr const char* layer = "token_embedding";
inline constexpr StepInfo tokens{layer, "tokens", "", "The words as numbers, by the vocabulary."};
inline constexpr StepInfo embedding{layer, "embedding", "table[tokens]", "Each word's row of the table."};
inline constexpr StepInfo scaled{layer, "scaled", "√d_model · embedding",
                                 "Larger, so that the positions added next do not drown the words."};
}  // namespace steps::token_embedding

// The row of a table for every token, times √d_model (Vaswani et al. 2017, section 3.4): tokens (…, T) whole
// numbers below vocabulary, result (…, T, d_model). Steps: tokens embedding scaled.
class TokenEmbedding {
  public:
    TokenEmbedding(index_t vocabulary, index_t d_model);  // all 0

    Tensor operator()(const Tensor& tokens) const;
    void parameters(Parameters& all) { all("weight", weight); }

    Tensor weight;  // (vocabulary, d_model)
};

}  // namespace glassbox
