#pragma once
#include <glassbox/observe/record.h>

namespace glassbox::detail {

// (…, n_q, n_k)
inline Shape scores_shape(const Tensor& Q, const Tensor& K) { return Q.shape().with(-1, K.size(-2)); }

// Throws Error, led by `op`, when the shapes of Q, K, V do not fit together. `same_width`: Q and K must have
// the same d_k.
inline void check_attention_shapes(const char* op, const Tensor& Q, const Tensor& K, const Tensor& V,
                                   bool same_width = true) {
    common_device(op, Q, K);
    common_device(op, Q, V);
    if (Q.rank() < 2 || K.rank() < 2 || V.rank() < 2)
        fail("{}: Q, K and V need at least 2 axes: {}, {}, {}", op, Q.shape(), K.shape(), V.shape());
    if (same_width && Q.size(-1) != K.size(-1))
        fail("{}: Q and K differ in d_k, their last size: {} and {}", op, Q.shape(), K.shape());
    if (K.size(-1) < 1) fail("{}: d_k must be at least 1, K has shape {}", op, K.shape());
    if (K.size(-2) != V.size(-2))
        fail("{}: K and V differ in the number of keys: {} and {}", op, K.shape(), V.shape());
    if (Q.shape().leading(Q.rank() - 2) != K.shape().leading(K.rank() - 2) ||
        Q.shape().leading(Q.rank() - 2) != V.shape().leading(V.rank() - 2))
        fail("{}: Q, K and V need the same leading axes: {}, {}, {}", op, Q.shape(), K.shape(), V.shape());
}

}  // namespace glassbox::detail
