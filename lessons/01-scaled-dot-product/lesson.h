#pragma once
#include "../support/matrix.h"

// What the lesson asks for, step by step. Each is empty until you give it a size: Matrix(rows, columns).
struct Steps {
    Matrix logits;     // (n_q, n_k)  how well query i fits key j
    Matrix scaled;     // (n_q, n_k)  the same, with a variance that does not grow with d_k
    Matrix masked;     // (n_q, n_k)  the same, hidden_score where the mask hides
    Matrix attention;  // (n_q, n_k)  weights: every row sums to 1
    Matrix values;     // (n_q, d_v)  one answer a query
};

// The score of a key that must not be seen: so low that its weight becomes exactly 0.
constexpr double hidden_score = -9e15;

// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V
//   Q     (n_q, d_k)  one query a row
//   K     (n_k, d_k)  one key a row
//   V     (n_k, d_v)  one value a row
//   mask  (n_q, n_k)  1 where query i may see key j, 0 where it may not; all 1 when nothing is hidden
// One batch entry and one head at a time: the caller loops over them.
extern "C" void scaled_dot_product(const Matrix& Q, const Matrix& K, const Matrix& V, const Matrix& mask,
                                   Steps& steps);
