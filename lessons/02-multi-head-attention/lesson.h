#pragma once
#include "../support/given/softmax.h"
#include "../support/matrices.h"
#include "../support/weights.h"

// What the lesson asks for, step by step. Each is empty until you give it a size: Matrix(rows, columns), and
// Matrices(heads, rows, columns) for what every head has of its own: Q[h](t, c).
// T tokens, h heads, d_h = d_model / h numbers in one head.
struct Steps {
    Matrix qkv;          // (T, 3·d_model)  x Wᵀ + b: every head's query, key and value, side by side
    Matrices Q;          // (h, T, d_h)     one query a token, for each head
    Matrices K;          // (h, T, d_h)
    Matrices V;          // (h, T, d_h)
    Matrices logits;     // (h, T, T)       from here to values as in lesson 01, for each head
    Matrices scaled;     // (h, T, T)
    Matrices masked;     // (h, T, T)
    Matrices attention;  // (h, T, T)       every row sums to 1
    Matrices values;     // (h, T, d_h)
    Matrix concat;       // (T, d_model)    the heads' values, side by side again
    Matrix output;       // (T, d_model)    concat W_Oᵀ + b_O
};

// The score of a key that must not be seen: so low that its weight becomes exactly 0.
constexpr double hidden_score = -9e15;

// MultiHead(x) = Concat(head_1, …, head_h) W_Oᵀ + b_O, head_i = Attention(Q_i, K_i, V_i)
//   x     (T, width)  one token a row; its width need not be d_model
//   w     heads, W_qkv (3·d_model, width), b_qkv, W_O (d_model, d_model), b_O: see weights.h
//   mask  (T, T)      1 where token i may see token j, 0 where it may not; the same for every head
// softmax(scores) is given: lesson 01, every row on its own.
extern "C" void multi_head_attention(const Matrix& x, const AttentionWeights& w, const Matrix& mask,
                                     Steps& steps);
