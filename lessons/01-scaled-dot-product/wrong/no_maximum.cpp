// Lesson 01, a wrong solution: exp of the scores as they are, which overflows.
// hint: attention/overflow
#include "lesson.h"

#include <cmath>

void scaled_dot_product(const Matrix& Q, const Matrix& K, const Matrix& V, const Matrix& mask, Steps& steps) {
    const int n_q = Q.rows(), n_k = K.rows(), d_k = K.columns(), d_v = V.columns();

    steps.logits = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j)
            for (int c = 0; c < d_k; ++c) steps.logits(i, j) += Q(i, c) * K(j, c);

    steps.scaled = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j) steps.scaled(i, j) = steps.logits(i, j) / std::sqrt(d_k);

    steps.masked = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j)
            steps.masked(i, j) = mask(i, j) == 0 ? hidden_score : steps.scaled(i, j);

    steps.attention = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i) {
        double total = 0;
        for (int j = 0; j < n_k; ++j) total += std::exp(steps.masked(i, j));
        for (int j = 0; j < n_k; ++j) steps.attention(i, j) = std::exp(steps.masked(i, j)) / total;
    }

    steps.values = Matrix(n_q, d_v);
    for (int i = 0; i < n_q; ++i)
        for (int c = 0; c < d_v; ++c)
            for (int j = 0; j < n_k; ++j) steps.values(i, c) += steps.attention(i, j) * V(j, c);
}
