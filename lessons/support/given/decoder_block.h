#pragma once
#include "encoder_block.h"

// What lesson 10 taught: self-attention, attention to the memory and the feed-forward network, each with its
// residual and norm. What the masks hide is up to you.
//     x (T, d_model)   memory (S, d_model)   mask (T, T)   memory_mask (T, S)   result (T, d_model)
inline Matrix decoder_block(const Matrix& x, const Matrix& memory, const DecoderBlockWeights& w,
                            const Matrix& mask, const Matrix& memory_mask) {
    const Matrix norm1 = layer_norm(add(x, multi_head_attention(x, x, x, w.self_attn, mask)), w.norm1);
    const Matrix cross_attended = multi_head_attention(norm1, memory, memory, w.cross_attn, memory_mask);
    const Matrix norm2 = layer_norm(add(norm1, cross_attended), w.norm2);
    return layer_norm(add(norm2, feed_forward(norm2, w.mlp)), w.norm3);
}
