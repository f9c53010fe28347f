#pragma once
#include "../support/given/multi_head_attention.h"

// The parameters of one encoder block, as PyTorch lays them out.
struct Weights {
    AttentionWeights self_attn;  // of lesson 02
    Matrix W_1;                  // (d_ff, d_model)  the feed-forward network's first layer
    Vector b_1;                  // (d_ff)
    Matrix W_2;                  // (d_model, d_ff)  its second
    Vector b_2;                  // (d_model)
    Vector gamma_1, beta_1;      // (d_model)  of the first layer norm
    Vector gamma_2, beta_2;      // (d_model)  of the second
    double epsilon = 0;          // of both
};

// What the lesson asks for, step by step. Each is empty until you give it a size: Matrix(rows, columns).
struct Steps {
    struct {
        Matrix output;  // (T, d_model)  self-attention of x
    } self_attn;
    Matrix residual1;  // (T, d_model)  x + self_attn.output
    Matrix norm1;      // (T, d_model)  LayerNorm of residual1, with γ_1 and β_1
    struct {
        Matrix hidden;  // (T, d_ff)     norm1 W_1ᵀ + b_1
        Matrix relu;    // (T, d_ff)     max(0, hidden)
        Matrix output;  // (T, d_model)  relu W_2ᵀ + b_2
    } mlp;
    Matrix residual2;  // (T, d_model)  norm1 + mlp.output
    Matrix norm2;      // (T, d_model)  LayerNorm of residual2, with γ_2 and β_2
};

// y = LayerNorm(x + SelfAttention(x)),  output = LayerNorm(y + MLP(y))
// LayerNorm: γ ∘ (row − mean) / √(variance + ε) + β, of each row on its own; the variance is the mean of the
// squared differences to the mean.
//   x  (T, d_model)  one token a row
// Given, since you know them: self_attention(x, w.self_attn), linear(x, W, b) = x Wᵀ + b.
extern "C" void encoder_block(const Matrix& x, const Weights& w, Steps& steps);
