#pragma once
#include "../support/matrices.h"

// What the lesson asks for, step by step. Each is empty until you give it a size: Matrix(rows, columns), and
// Matrices(pairs, 2, 2) for a table of 2 × 2 for each pair.
struct Steps {
    Matrix encoding;  // (T, d_model)   sine, cosine, sine, cosine, … of each position
    Matrix output;    // (T, d_model)   x with its positions written into it
    Matrices M;  // (pairs, 2, 2)  moves an encoding by `shift` positions; pairs = d_model / 2, rounded down
};

// PE(t, 2i)     = sin(t / 10000^(2i / d_model))
// PE(t, 2i + 1) = cos(t / 10000^(2i / d_model))
//   x      (T, d_model)  one token a row; row t is the token at position t = 0, 1, 2, …
//   shift  by how many positions M moves: for every position t and every pair i
//              M[i] · ( PE(t, 2i), PE(t, 2i+1) )ᵀ  =  ( PE(t+shift, 2i), PE(t+shift, 2i+1) )ᵀ
// Where d_model is odd, the last column is a sine without its cosine, and has no M.
extern "C" void positional_encoding(const Matrix& x, int shift, Steps& steps);
