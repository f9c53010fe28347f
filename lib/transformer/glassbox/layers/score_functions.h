#pragma once
#include <string_view>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace steps::additive_attention {
inline constexpr const char* layer = "additive_attention";
inline constexpr StepInfo W_q{
    layer, "W_q", "", "What the hidden layer takes from a query: one column for each of its d_a units."};
inline constexpr StepInfo W_k{layer, "W_k", "", "What the hidden layer takes from a key."};
inline constexpr StepInfo v{layer, "v", "", "How much each unit of the hidden layer counts in the score."};
inline constexpr StepInfo query_part{layer, "query_part", "Q W_q", "The queries' share of the hidden layer."};
inline constexpr StepInfo key_part{layer, "key_part", "K W_k", "The keys' share of the hidden layer."};
inline constexpr StepInfo hidden{layer, "hidden", "tanh(query_part + key_part)",
                                 "The hidden layer, once for every pair of a query and a key."};
inline constexpr StepInfo logits{layer, "logits", "hidden v",
                                 "Each hidden layer becomes one score: how well a query matches a key."};
}  // namespace steps::additive_attention

// How a query and a key are compared. The fourth document compares the three (docs/sources.md).
enum class Score { scaled, unscaled, additive };
template <>
struct EnumWords<Score> {
    static constexpr const char* what = "score";
    static constexpr Word<Score> all[] = {
        {Score::scaled, "scaled"}, {Score::unscaled, "unscaled"}, {Score::additive, "additive"}};
};

// "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V"
[[nodiscard]] std::string formula(Score score);

// softmax(Q Kᵀ) V: without the division by √d_k. Steps: Q K V logits [masked] attention values.
AttentionResult dot_product(Tensor Q, Tensor K, Tensor V, const Mask& mask = {},
                            const AttentionConfig& config = {});

// The hidden layer of the additive score; queries and keys may differ in width.
struct AdditiveWeights {
    Tensor W_q;  // (d_q, d_a)
    Tensor W_k;  // (d_k, d_a)
    Tensor v;    // (d_a)
};

// score(q, k) = v · tanh(q W_q + k W_k) (Bahdanau et al. 2015), followed by the usual softmax and weighted
// values. Steps: Q K V W_q W_k v query_part key_part hidden logits [masked] attention values. Needs memory
// for (…, n_q, n_k, d_a).
AttentionResult additive_attention(Tensor Q, Tensor K, Tensor V, const AdditiveWeights& weights,
                                   const Mask& mask = {}, const AttentionConfig& config = {});

// The shape checks of the function for this score, without computing anything. `additive` is for
// Score::additive.
void check_shapes(Score score, const Tensor& Q, const Tensor& K, const Tensor& V,
                  const AdditiveWeights* additive = nullptr);

}  // namespace glassbox
