#pragma once
#include <cmath>
#include <stdexcept>
#include <string>

#include "../attention_weights.h"
#include "linear.h"
#include "softmax.h"

// What lessons 01 and 02 taught, with three inputs, as torch.nn.MultiheadAttention has them: queries are made
// of the first, keys of the second, values of the third.
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
