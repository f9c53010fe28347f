#pragma once
#include <cmath>

#include "../attention_weights.h"
#include "linear.h"
#include "softmax.h"

// What lesson 02 taught: multi-head self-attention, here without a mask. x (T, d_model) → (T, d_model).
inline Matrix self_attention(const Matrix& x, const AttentionWeights& w) {
    const Matrix qkv = linear(x, w.W_qkv, w.b_qkv);
    const int T = x.rows(), d_model = w.W_O.columns(), d_h = d_model / w.heads;
    Matrix concat(T, d_model);
    for (int h = 0; h < w.heads; ++h) {
        const int q = 3 * h * d_h, k = q + d_h, v = k + d_h;  // where head h's columns begin
        Matrix scaled(T, T);
        for (int i = 0; i < T; ++i)
            for (int j = 0; j < T; ++j)
                for (int c = 0; c < d_h; ++c) scaled(i, j) += qkv(i, q + c) * qkv(j, k + c) / std::sqrt(d_h);
        const Matrix attention = softmax(scaled);
        for (int i = 0; i < T; ++i)
            for (int c = 0; c < d_h; ++c)
                for (int j = 0; j < T; ++j) concat(i, h * d_h + c) += attention(i, j) * qkv(j, v + c);
    }
    return linear(concat, w.W_O, w.b_O);
}
