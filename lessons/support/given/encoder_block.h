#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "multi_head_attention.h"

// a + b, number by number.
inline Matrix add(const Matrix& a, const Matrix& b) {
    if (a.rows() != b.rows() || a.columns() != b.columns())
        throw std::out_of_range("add: (" + std::to_string(a.rows()) + ", " + std::to_string(a.columns()) +
                                ") + (" + std::to_string(b.rows()) + ", " + std::to_string(b.columns()) +
                                ")");
    Matrix sum = a;
    for (int t = 0; t < a.rows(); ++t)
        for (int c = 0; c < a.columns(); ++c) sum(t, c) += b(t, c);
    return sum;
}

// What lesson 04 taught: each row on its own gets mean 0 and variance 1, then γ and β.
inline Matrix layer_norm(const Matrix& x, const NormWeights& w) {
    Matrix y(x.rows(), x.columns());
    const int d = x.columns();
    for (int t = 0; t < x.rows(); ++t) {
        double mean = 0, variance = 0;
        for (int c = 0; c < d; ++c) mean += x(t, c) / d;
        for (int c = 0; c < d; ++c) variance += (x(t, c) - mean) * (x(t, c) - mean) / d;
        for (int c = 0; c < d; ++c)
            y(t, c) = (x(t, c) - mean) / std::sqrt(variance + 1e-5) * w.gamma(c) + w.beta(c);
    }
    return y;
}

// What lesson 04 taught: two linear layers with a ReLU between them, for each row on its own.
inline Matrix feed_forward(const Matrix& x, const FeedForwardWeights& w) {
    Matrix hidden = linear(x, w.W_1, w.b_1);
    for (int t = 0; t < hidden.rows(); ++t)
        for (int c = 0; c < hidden.columns(); ++c) hidden(t, c) = std::max(hidden(t, c), 0.0);
    return linear(hidden, w.W_2, w.b_2);
}

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
