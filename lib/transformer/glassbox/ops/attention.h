#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The scale of fused attention's scores, and its mask.
struct AttentionOptions {
    double scale = 1;     // scores are Q Kᵀ · scale
    double fill = 0;      // replaces the score of a hidden key
    bool causal = false;  // query i sees keys j ≤ i
    Tensor lengths{};     // if defined: the number of visible keys, broadcast to Q's leading axes
    Tensor visible{};     // if defined: 0 hides a key, broadcast to (…, n_q, n_k)
};

// softmax(Q Kᵀ · scale, hidden keys filled) V as one op that never materialises the n_q × n_k matrix: its
// extra memory does not grow with n_q · n_k. Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), equal leading
// axes → (…, n_q, d_v). Equal to the step-by-step path within rounding (Milakov & Gimelshein 2018; Dao et al.
// 2022).
Tensor fused_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const AttentionOptions& options);

}  // namespace glassbox
