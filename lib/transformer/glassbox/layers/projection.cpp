#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

namespace step = steps::projection;

// Q = x W_Q,  K = x W_K,  V = x W_V
Projected project(const Tensor& sequence, const Projection& weights) {
    Tensor x = named(step::x, sequence);         // (…, T, d)
    Tensor W_Q = named(step::W_Q, weights.W_Q);  // (d, d_k)
    Tensor W_K = named(step::W_K, weights.W_K);  // (d, d_k)
    Tensor W_V = named(step::W_V, weights.W_V);  // (d, d_v)
    Tensor Q = named(step::Q, matmul(x, W_Q));   // (…, T, d_k)
    Tensor K = named(step::K, matmul(x, W_K));   // (…, T, d_k)
    Tensor V = named(step::V, matmul(x, W_V));   // (…, T, d_v)
    return {Q, K, V};
}

}  // namespace glassbox
