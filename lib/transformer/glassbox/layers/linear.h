#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/step.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

// y = x Wᵀ + b
struct Linear {
    Tensor weight;  // (out, in)
    Tensor bias;    // (out), or undefined

    [[nodiscard]] static Linear zeros(index_t in, index_t out, bool has_bias = true);

    Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }  // (…, in) → (…, out)
    void parameters(Parameters& all) { all("weight", weight), all("bias", bias); }
};

namespace steps::token_embedding {
inline constexpr const char* layer = "token_embedding";
inline constexpr StepInfo tokens{layer, "tokens", "", "Each word's index in the vocabulary."};
inline constexpr StepInfo embedding{layer, "embedding", "table[tokens]", "Each word's row of the table."};
inline constexpr StepInfo scaled{layer, "scaled", "√d_model · embedding",
                                 "Scaled up, so that the positions added next do not drown the words."};
}  // namespace steps::token_embedding

// A row of the table for every token, times √d_model (Vaswani et al. 2017, section 3.4): tokens (…, T)
// integers below vocabulary, result (…, T, d_model). Steps: tokens embedding scaled.
class TokenEmbedding {
  public:
    TokenEmbedding(index_t vocabulary, index_t d_model);  // all 0

    Tensor operator()(const Tensor& tokens) const;
    void parameters(Parameters& all) { all("weight", weight); }

    Tensor weight;  // (vocabulary, d_model)
};

}  // namespace glassbox
