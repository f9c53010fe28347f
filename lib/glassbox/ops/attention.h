#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// What the scores of fused attention are multiplied with, and which of them are hidden.
struct AttentionOptions {
    double scale = 1;     // scores are Q Kᵀ · scale
    double fill = 0;      // what the score of a hidden key becomes
    bool causal = false;  // query i sees keys j ≤ i
    Tensor lengths{};     // if defined: how many keys are seen, broadcast to Q's leading axes
    Tensor visible{};     // if defined: 0 hides a key, broadcast to (…, n_q, n_k)
};

// softmax(Q Kᵀ · scale, hidden keys filled) V as one op that never holds the n_q × n_k matrix: what it needs
// beyond inputs and outputs does not grow with n_q · n_k. Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v),
// equal leading axes → (…, n_q, d_v). Equal to the step-by-step path within rounding (Milakov & Gimelshein
// 2018; Dao et al. 2022).
Tensor fused_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const AttentionOptions& options);

}  // namespace glassbox
