#pragma once
#include "add.h"
#include "feed_forward.h"
#include "layer_norm.h"
#include "multi_head_attention.h"

// What lesson 04 taught: self-attention and the feed-forward network, each with its residual and norm.
//     x (T, d_model)   mask (T, T): 0 where row i may not see row j   result (T, d_model)
inline Matrix encoder_block(const Matrix& x, const EncoderBlockWeights& w, const Matrix& mask) {
    const Matrix norm1 = layer_norm(add(x, multi_head_attention(x, x, x, w.self_attn, mask)), w.norm1);
    return layer_norm(add(norm1, feed_forward(norm1, w.mlp)), w.norm2);
}

// The same where every row may see every other.
inline Matrix encoder_block(const Matrix& x, const EncoderBlockWeights& w) {
    Matrix all_seen(x.rows(), x.rows());
    for (int i = 0; i < x.rows(); ++i)
        for (int j = 0; j < x.rows(); ++j) all_seen(i, j) = 1;
    return encoder_block(x, w, all_seen);
}
