#include <glassbox/layers/score_functions.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/detail/attention_shapes.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace attention = steps::scaled_dot_product;
namespace additive = steps::additive_attention;

std::string formula(Score score) {
    switch (score) {
        case Score::scaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V";
        case Score::unscaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ) V";
        case Score::additive:
            return "Attention(Q, K, V) = softmax(v · tanh(q W_q + k W_k)) V";
    }
    return "";
}

// softmax(Q Kᵀ) V
AttentionResult dot_product(Tensor Q, Tensor K, Tensor V, const Mask& mask, const AttentionConfig& config) {
    check_shapes(Score::unscaled, Q, K, V);
    Q = named(attention::Q, Q);                                         // (…, n_q, d_k)
    K = named(attention::K, K);                                         // (…, n_k, d_k)
    V = named(attention::V, V);                                         // (…, n_k, d_v)
    Tensor logits = named(attention::logits, matmul(Q, transpose(K)));  // (…, n_q, n_k)
    return weigh_values(logits, V, mask, config);
}

namespace {
void check_weights(const Tensor& Q, const Tensor& K, const AdditiveWeights& weights) {
    const auto& [W_q, W_k, v] = weights;
    if (W_q.rank() != 2 || W_q.size(0) != Q.size(-1))
        fail("additive_attention: W_q must be ({}, d_a) for Q of shape {}, got {}", Q.size(-1), Q.shape(),
             W_q.shape());
    if (W_k.rank() != 2 || W_k.size(0) != K.size(-1) || W_k.size(1) != W_q.size(1))
        fail("additive_attention: W_k must be ({}, {}) for K of shape {}, got {}", K.size(-1), W_q.size(1),
             K.shape(), W_k.shape());
    if (v.rank() != 1 || v.size(0) != W_q.size(1))
        fail("additive_attention: v must be ({},), got {}", W_q.size(1), v.shape());
}

// Inserts an axis of size 1 before the last `count` axes.
Tensor with_axis(const Tensor& x, int count) {
    std::vector<index_t> sizes = x.shape().to_vector();
    sizes.insert(sizes.end() - count, 1);
    return reshape(x, Shape(sizes));
}
}  // namespace

void check_shapes(Score score, const Tensor& Q, const Tensor& K, const Tensor& V,
                  const AdditiveWeights* additive) {
    switch (score) {
        case Score::scaled:
            return check_attention_shapes("scaled_dot_product", Q, K, V);
        case Score::unscaled:
            return check_attention_shapes("dot_product", Q, K, V);
        case Score::additive:
            check_attention_shapes("additive_attention", Q, K, V, false);
            if (additive) check_weights(Q, K, *additive);
    }
}

// score(q, k) = v · tanh(q W_q + k W_k)
AttentionResult additive_attention(Tensor Q, Tensor K, Tensor V, const AdditiveWeights& weights,
                                   const Mask& mask, const AttentionConfig& config) {
    check_shapes(Score::additive, Q, K, V, &weights);
    const index_t d_a = weights.v.size(0);
    Q = named(attention::Q, Q);                                                    // (…, n_q, d_q)
    K = named(attention::K, K);                                                    // (…, n_k, d_k)
    V = named(attention::V, V);                                                    // (…, n_k, d_v)
    Tensor W_q = named(additive::W_q, weights.W_q);                                // (d_q, d_a)
    Tensor W_k = named(additive::W_k, weights.W_k);                                // (d_k, d_a)
    Tensor v = named(additive::v, weights.v);                                      // (d_a)
    Tensor query_part = named(additive::query_part, matmul(Q, W_q));               // (…, n_q, d_a)
    Tensor key_part = named(additive::key_part, matmul(K, W_k));                   // (…, n_k, d_a)
    Tensor pairs = with_axis(query_part, 1) + with_axis(key_part, 2);              // (…, n_q, n_k, d_a)
    Tensor hidden = named(additive::hidden, tanh(pairs));                          // (…, n_q, n_k, d_a)
    Tensor scores = matmul(hidden, reshape(v, {d_a, 1}));                          // (…, n_q, n_k, 1)
    Tensor logits = named(additive::logits, reshape(scores, scores_shape(Q, K)));  // (…, n_q, n_k)
    return weigh_values(logits, V, mask, config);
}

}  // namespace glassbox
