#include <glassbox/layers/scaled_dot_product.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/detail/attention_shapes.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace step = steps::scaled_dot_product;

// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V
//
// Each query is compared with every key, the scores are turned into weights that sum to 1, and the output for
// the query is the average of the values with these weights. A dot product of d_k independent terms of
// variance 1 has variance d_k: dividing by √d_k brings it back to 1, so that the softmax does not saturate
// and lose its gradient.
AttentionResult scaled_dot_product(Tensor Q, Tensor K, Tensor V, const Mask& mask,
                                   const AttentionConfig& config) {
    check_attention_shapes("scaled_dot_product", Q, K, V);
    const double d_k = static_cast<double>(K.size(-1));
    Q = named(step::Q, Q);                                         // (…, n_q, d_k)
    K = named(step::K, K);                                         // (…, n_k, d_k)
    V = named(step::V, V);                                         // (…, n_k, d_v)
    Tensor logits = named(step::logits, matmul(Q, transpose(K)));  // (…, n_q, n_k)  q_i · k_j
    Tensor scaled = named(step::scaled, logits / std::sqrt(d_k));  // (…, n_q, n_k)
    return weigh_values(scaled, V, mask, config);
}

AttentionResult weigh_values(const Tensor& scores, const Tensor& V, const Mask& mask,
                             const AttentionConfig& config) {
    Tensor masked =
        mask ? named(step::masked, mask.fill(scores, config.mask_fill)) : scores;  // (…, n_q, n_k)
    Tensor attention = named(step::attention, softmax(masked));                    // rows sum to 1
    Tensor values = named(step::values, matmul(attention, V));                     // (…, n_q, d_v)
    return {values, attention};
}

// The backward pass. With A = attention, O = values = A V and S = Q Kᵀ / √d_k:
//
//   ∂L/∂V = Aᵀ ∂L/∂O       each value gets a gradient in proportion to its weight
//   ∂L/∂A = ∂L/∂O Vᵀ
//   ∂L/∂S = A ∘ (∂L/∂A − rowsum(A ∘ ∂L/∂A))       through the softmax; 0 for hidden scores
//   ∂L/∂Q = ∂L/∂S K / √d_k
//   ∂L/∂K = ∂L/∂Sᵀ Q / √d_k
AttentionGradients scaled_dot_product_gradients(const Tensor& Q, const Tensor& K, const Tensor& V,
                                                const Tensor& A, const Tensor& dO, const Mask& mask) {
    const double d_k = static_cast<double>(K.size(-1));
    Tensor dV = matmul(transpose(A), dO);                   // (…, n_k, d_v)
    Tensor dA = matmul(dO, transpose(V));                   // (…, n_q, n_k)
    Tensor dS = A * (dA - sum(A * dA, -1, true));           // (…, n_q, n_k)
    if (mask) dS = mask.fill(dS, 0);                        // a filled score does not depend on Q and K
    Tensor dQ = matmul(dS, K) / std::sqrt(d_k);             // (…, n_q, d_k)
    Tensor dK = matmul(transpose(dS), Q) / std::sqrt(d_k);  // (…, n_k, d_k)
    return {dQ, dK, dV};
}

Tensor attend(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask,
              const AttentionConfig& config) {
    if (Trace::current()) return scaled_dot_product(Q, K, V, mask, config).values;
    check_attention_shapes("attend", Q, K, V);
    AttentionOptions options;
    options.scale = 1 / std::sqrt(static_cast<double>(K.size(-1)));
    options.fill = config.mask_fill;
    mask.describe(options, scores_shape(Q, K), Q.device());
    return fused_attention(Q, K, V, options);
}

}  // namespace glassbox
