#pragma once
#include <cmath>
#include <stdexcept>
#include <string>

#include "../weights.h"
#include "softmax.h"

// What lesson 02 taught: y = x Wᵀ + b, for each row of x. W has one row for each number of the result.
inline Matrix linear(const Matrix& x, const Matrix& W, const Vector& b) {
    Matrix y(x.rows(), W.rows());
    for (int t = 0; t < x.rows(); ++t)
        for (int o = 0; o < W.rows(); ++o) {
            y(t, o) = b(o);
            for (int c = 0; c < x.columns(); ++c) y(t, o) += x(t, c) * W(o, c);
        }
    return y;
}

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

// What lessons 01 and 02 taught, with three inputs, as torch.nn.MultiheadAttention has them: queries come
// from the first, keys from the second, values from the third.
//     queries_of (n_q, d_model)   keys_of, values_of (n_k, d_model)   mask (n_q, n_k): 0 hides
// Result (n_q, d_model): one row for each query. Self-attention is the case where all three are the same.
inline Matrix multi_head_attention(const Matrix& queries_of, const Matrix& keys_of, const Matrix& values_of,
                                   const AttentionWeights& w, const Matrix& mask) {
    const int n_q = queries_of.rows(), n_k = keys_of.rows(), d_model = w.W_O.columns(),
              d_h = d_model / w.heads;
    if (values_of.rows() != n_k)
        throw std::out_of_range("multi_head_attention: " + std::to_string(n_k) + " keys, but " +
                                std::to_string(values_of.rows()) + " values: every key needs a value");
    if (mask.rows() != n_q || mask.columns() != n_k)
        throw std::out_of_range("multi_head_attention: a mask of " + std::to_string(mask.rows()) +
                                " rows and " + std::to_string(mask.columns()) + " columns for " +
                                std::to_string(n_q) + " queries and " + std::to_string(n_k) + " keys");
    const Matrix q = linear(queries_of, w.W_qkv, w.b_qkv), k = linear(keys_of, w.W_qkv, w.b_qkv),
                 v = linear(values_of, w.W_qkv, w.b_qkv);
    Matrix concat(n_q, d_model);
    for (int h = 0; h < w.heads; ++h) {
        const int first = 3 * h * d_h;  // head h's columns: query, key, value, d_h of each
        Matrix masked(n_q, n_k);
        for (int i = 0; i < n_q; ++i)
            for (int j = 0; j < n_k; ++j) {
                for (int c = 0; c < d_h; ++c)
                    masked(i, j) += q(i, first + c) * k(j, first + d_h + c) / std::sqrt(d_h);
                if (mask(i, j) == 0) masked(i, j) = -9e15;
            }
        const Matrix attention = softmax(masked);
        for (int i = 0; i < n_q; ++i)
            for (int c = 0; c < d_h; ++c)
                for (int j = 0; j < n_k; ++j)
                    concat(i, h * d_h + c) += attention(i, j) * v(j, first + 2 * d_h + c);
    }
    return linear(concat, w.W_O, w.b_O);
}
