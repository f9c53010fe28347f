#pragma once
#include <glassbox/random/stream.h>

namespace glassbox {

struct Qkv {
    Tensor Q;  // (leading…, n_q, d_k)
    Tensor K;  // (leading…, n_k, d_k)
    Tensor V;  // (leading…, n_k, d_v)
};

// Queries, keys and values of the tutorials' worked example, standard normal. If all three have the same
// shape, JAX's stream makes one draw of shape (3, leading…, n, d) and splits it, PyTorch's and NumPy's draw
// Q, then K, then V; if shapes differ, every stream draws Q, then K, then V.
Qkv draw_qkv(Stream& stream, const Shape& leading, index_t n_q, index_t n_k, index_t d_k, index_t d_v);

}  // namespace glassbox
