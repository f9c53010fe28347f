// Lesson 01, a wrong solution: d_k itself, not its root.
// hint: scaled/no-root
#include "lesson.h"

#include <algorithm>
#include <cmath>

void scaled_dot_product(const Matrix& Q, const Matrix& K, const Matrix& V, const Matrix& mask, Steps& steps) {
    const int n_q = Q.rows(), n_k = K.rows(), d_k = K.columns(), d_v = V.columns();

    steps.logits = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j)
            for (int c = 0; c < d_k; ++c) steps.logits(i, j) += Q(i, c) * K(j, c);

    steps.scaled = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j) steps.scaled(i, j) = steps.logits(i, j) / d_k;

    steps.masked = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i)
        for (int j = 0; j < n_k; ++j)
            steps.masked(i, j) = mask(i, j) == 0 ? hidden_score : steps.scaled(i, j);

    // softmax(x) = softmax(x − max x): subtracting the row's largest number changes nothing but keeps exp
    // ≤ 1.
    steps.attention = Matrix(n_q, n_k);
    for (int i = 0; i < n_q; ++i) {
        double largest = steps.masked(i, 0), total = 0;
        for (int j = 1; j < n_k; ++j) largest = std::max(largest, steps.masked(i, j));
        for (int j = 0; j < n_k; ++j) total += std::exp(steps.masked(i, j) - largest);
        for (int j = 0; j < n_k; ++j) steps.attention(i, j) = std::exp(steps.masked(i, j) - largest) / total;
    }

    steps.values = Matrix(n_q, d_v);
    for (int i = 0; i < n_q; ++i)
        for (int c = 0; c < d_v; ++c)
            for (int j = 0; j < n_k; ++j) steps.values(i, c) += steps.attention(i, j) * V(j, c);
}
