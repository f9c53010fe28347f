#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox {

// The first and plainest version of a kernel, as one would write it after reading the formula: one thread for
// each row. Kept to learn from, and because the fast version must find the same. Arrays without gaps.
void naive_softmax(const ConstView& x, const View& y);
void naive_layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                      const View& y);

// c (…, m, n) = a (…, m, k) · b (…, k, n) of any strides; c without gaps. First a thread for each number of
// c, then tiles that the threads of a block share, which also serve sizes that cuBLAS cannot take.
void naive_matmul(const ConstView& a, const ConstView& b, const View& c);
void tiled_matmul(const ConstView& a, const ConstView& b, const View& c);
// The arguments of Backend::attention; a thread for each row, and no n_q × n_k matrix either. The way back
// finds itself what the fused one takes from the logarithms of the rows' sums.
void naive_attention(const ConstView& q, const ConstView& k, const ConstView& v,
                     const AttentionParams& params, const View& values, const View& logsumexp);
void naive_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                              const AttentionParams& params, const ConstView& values,
                              const ConstView& dvalues, const View& dq, const View& dk, const View& dv);

}  // namespace glassbox
