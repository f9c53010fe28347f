#pragma once
#include <glassbox/layers/mask.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::scaled_dot_product {
inline constexpr const char* layer = "scaled_dot_product";
inline constexpr StepInfo Q{layer, "Q", "", "What each position looks for: one query per row."};
inline constexpr StepInfo K{layer, "K", "", "What each position offers: one key per row."};
inline constexpr StepInfo V{layer, "V", "", "What each position passes on: one value per row."};
inline constexpr StepInfo logits{
    layer, "logits", "Q Kᵀ",
    "How well each query (row) matches each key (column): a dot product for every pair."};
inline constexpr StepInfo scaled{layer, "scaled", "logits / √d_k",
                                 "Divided by √d_k: the spread of the scores no longer grows with d_k."};
inline constexpr StepInfo masked{
    layer, "masked", "{0}, but {fill} where the mask is 0",
    "A hidden key's score becomes so low that its weight is 0 next to any visible key."};
inline constexpr StepInfo attention{layer, "attention", "softmax({0:masked})",
                                    "Each row becomes weights: how much a query takes from every value."};
inline constexpr StepInfo values{layer, "values", "attention V",
                                 "The weighted average of the values: one answer per query."};
}  // namespace steps::scaled_dot_product

inline constexpr double default_mask_fill = -9e15;  // the JAX tutorial's

struct AttentionConfig {
    double mask_fill = default_mask_fill;  // the score of a hidden key
};

struct AttentionResult {
    Tensor values;     // (…, n_q, d_v)
    Tensor attention;  // (…, n_q, n_k), rows sum to 1
};

// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V, step by step (report §2, equation 1; Vaswani et al. 2017,
// equation 1). Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), equal leading axes. A query without a
// visible key attends to all keys equally if mask_fill is finite; with −∞ its row is NaN (0/0). Throws Error
// with both shapes when Q, K, V or the mask do not fit.
AttentionResult scaled_dot_product(Tensor Q, Tensor K, Tensor V, const Mask& mask = {},
                                   const AttentionConfig& config = {});

// The second half, for any scores (…, n_q, n_k): softmax(scores, hidden ones replaced) V. Steps: [masked]
// attention values.
AttentionResult weigh_values(const Tensor& scores, const Tensor& V, const Mask& mask,
                             const AttentionConfig& config);

struct AttentionGradients {
    Tensor Q, K, V;  // with the shapes of Q, K, V
};

// The gradients by explicit formulas, from the attention of the forward pass. The tape derives the same, and
// is tested against this. dvalues is ∂L/∂values (…, n_q, d_v).
AttentionGradients scaled_dot_product_gradients(const Tensor& Q, const Tensor& K, const Tensor& V,
                                                const Tensor& attention, const Tensor& dvalues,
                                                const Mask& mask = {});

// Only the values: computed step by step while a Trace is recording, otherwise by fused_attention, which
// never materialises the n_q × n_k matrix. The choice is made only here; both agree within rounding.
Tensor attend(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask = {},
              const AttentionConfig& config = {});

}  // namespace glassbox
