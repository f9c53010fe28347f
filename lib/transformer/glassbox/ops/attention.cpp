#include <glassbox/ops/ops.h>

#include <algorithm>
#include <utility>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/detail/attention_shapes.h>

namespace glassbox {

using namespace detail;

namespace {

AttentionParams params_of(const AttentionOptions& options, const Tensor& Q, const Shape& leading,
                          const Shape& scores) {
    AttentionParams params;
    params.scale = static_cast<real>(options.scale);
    params.fill = static_cast<real>(options.fill);
    params.causal = options.causal;
    if (options.lengths.defined()) {
        common_device("attention", Q, options.lengths);
        check_broadcasts_to("attention", "lengths", options.lengths.shape(), leading);
        params.lengths = options.lengths.view().broadcast_to(leading);
    }
    if (options.visible.defined()) {
        common_device("attention", Q, options.visible);
        check_broadcasts_to("attention", "mask", options.visible.shape(), scores);
        params.visible = options.visible.view().broadcast_to(scores);
    }
    return params;
}

// Uninitialised values (…, n_q, d_v). If Q's memory layout is (…, n_q, h, d_k), theirs is (…, n_q, h, d_v),
// so that the heads can be concatenated without a copy.
Tensor empty_values(const Tensor& Q, index_t d_v) {
    const Shape shape = Q.shape().with(-1, d_v);
    const int rank = Q.rank();
    const std::size_t row = static_cast<std::size_t>(std::max(rank - 2, 0));
    if (rank < 3 || Q.strides()[row - 1] >= Q.strides()[row]) return Tensor::empty(shape, Q.device());
    const Tensor by_position =
        Tensor::empty(shape.with(-2, Q.size(-3)).with(-3, Q.size(-2)), Q.device());  // (…, n_q, h, d_v)
    Strides strides = by_position.strides();
    std::swap(strides[row - 1], strides[row]);
    return by_position.alias(shape, strides);
}

}  // namespace

// O = P V,  P = softmax(S),  S = Q Kᵀ · scale. The backward pass recomputes P tile by tile from S and the
// row-wise ln Σ exp S:
//   ∂L/∂V = Pᵀ ∂L/∂O
//   ∂L/∂S = P ∘ (∂L/∂O Vᵀ − rowsum(∂L/∂O ∘ O))
//   ∂L/∂Q = ∂L/∂S K · scale,  ∂L/∂K = ∂L/∂Sᵀ Q · scale
Tensor fused_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const AttentionOptions& options) {
    check_attention_shapes("attention", Q, K, V);
    const Shape leading = Q.shape().leading(Q.rank() - 2);
    const Shape rows = leading.with_appended(Q.size(-2));
    const AttentionParams params = params_of(options, Q, leading, rows.with_appended(K.size(-2)));
    Tensor O = empty_values(Q, V.size(-1));      // (…, n_q, d_v)
    Tensor L = Tensor::empty(rows, Q.device());  // (…, n_q): ln Σ exp S
    backend(Q.device()).attention(Q.view(), K.view(), V.view(), params, O.writable(), L.writable());
    // `masks` keeps the tensors alive that params has views of.
    return record("attention", O, {&Q, &K, &V}, [=, masks = options](const Tensor& dO) -> Tape::Gradients {
        Tensor dQ = Tensor::empty(Q.shape(), Q.device());
        Tensor dK = Tensor::empty(K.shape(), K.device());
        Tensor dV = Tensor::empty(V.shape(), V.device());
        backend(Q.device())
            .attention_backward(Q.view(), K.view(), V.view(), params, O.view(), L.view(), dO.view(),
                                dQ.writable(), dK.writable(), dV.writable());
        return {dQ, dK, dV};
    });
}

}  // namespace glassbox
