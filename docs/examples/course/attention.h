#pragma once
#include <vector>

// The course's five functions. A matrix is a vector of rows.
using Row = std::vector<double>;
using Matrix = std::vector<Row>;

Matrix softmax(const Matrix& x);                                             // of each row
Matrix attention(const Matrix& Q, const Matrix& K, const Matrix& V);         // softmax(Q Kᵀ / √d_k) V
Matrix causal_attention(const Matrix& Q, const Matrix& K, const Matrix& V);  // no query sees a later key
Matrix layer_norm(const Matrix& x, const Row& gamma, const Row& beta, double epsilon);
Matrix positional_encoding(int length, int d_model);
