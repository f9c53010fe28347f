#pragma once
#include <algorithm>
#include <cmath>

#include "encoder_block.h"
#include "positional_encoding.h"

// The predictor that lesson 05 put together: input network, positions, one encoder block with one head,
// output network.
struct ModelWeights {
    Matrix W_in;  // (d_model, categories)  input network
    Vector b_in;  // (d_model)
    EncoderBlockWeights encoder;
    Matrix W_1;        // (d_model, d_model)  output network
    Vector b_1;        // (d_model)
    NormWeights norm;  // (d_model)
    Matrix W_2;        // (categories, d_model)
    Vector b_2;        // (categories)
};

// What lesson 01 taught: where each position looks. x (T, d_model) → (T, T), every row sums to 1.
inline Matrix attention_map(const Matrix& x, const AttentionWeights& w) {
    const Matrix qkv = linear(x, w.W_qkv, w.b_qkv);
    const int T = x.rows(), d = w.W_O.columns();
    Matrix scaled(T, T);
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j)
            for (int c = 0; c < d; ++c) scaled(i, j) += qkv(i, c) * qkv(j, d + c) / std::sqrt(d);
    return softmax(scaled);
}

struct Prediction {
    Matrix logits;     // (T, categories)  for each position, a score for each number
    Matrix attention;  // (T, T)           row i: where position i looks
};

// x (T, categories): one sequence, one-hot.
inline Prediction predict(const Matrix& x, const ModelWeights& w) {
    const Matrix placed = add(linear(x, w.W_in, w.b_in), positional_encoding(x.rows(), w.b_in.size()));
    Matrix hidden = layer_norm(linear(encoder_block(placed, w.encoder), w.W_1, w.b_1), w.norm);
    for (int t = 0; t < hidden.rows(); ++t)
        for (int c = 0; c < hidden.columns(); ++c) hidden(t, c) = std::max(hidden(t, c), 0.0);
    return {linear(hidden, w.W_2, w.b_2), attention_map(placed, w.encoder.self_attn)};
}
