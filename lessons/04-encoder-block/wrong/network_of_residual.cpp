// Lesson 04, a wrong solution: the network gets residual1.
// hint: mlp/hidden/from-residual1
#include "lesson.h"

#include <algorithm>
#include <cmath>

namespace {

// Each row: γ ∘ (x − mean) / √(variance + ε) + β.
Matrix layer_norm(const Matrix& x, const Vector& gamma, const Vector& beta, double epsilon) {
    const int T = x.rows(), d = x.columns();
    Matrix y(T, d);
    for (int t = 0; t < T; ++t) {
        double mean = 0, variance = 0;
        for (int c = 0; c < d; ++c) mean += x(t, c) / d;
        for (int c = 0; c < d; ++c) variance += (x(t, c) - mean) * (x(t, c) - mean) / d;
        for (int c = 0; c < d; ++c)
            y(t, c) = gamma(c) * (x(t, c) - mean) / std::sqrt(variance + epsilon) + beta(c);
    }
    return y;
}

Matrix sum(const Matrix& a, const Matrix& b) {
    Matrix y(a.rows(), a.columns());
    for (int t = 0; t < y.rows(); ++t)
        for (int c = 0; c < y.columns(); ++c) y(t, c) = a(t, c) + b(t, c);
    return y;
}

Matrix relu(const Matrix& x) {
    Matrix y(x.rows(), x.columns());
    for (int t = 0; t < y.rows(); ++t)
        for (int c = 0; c < y.columns(); ++c) y(t, c) = std::max(0.0, x(t, c));
    return y;
}

}  // namespace

void encoder_block(const Matrix& x, const Weights& w, Steps& steps) {
    steps.self_attn.output = self_attention(x, w.self_attn);
    steps.residual1 = sum(x, steps.self_attn.output);
    steps.norm1 = layer_norm(steps.residual1, w.gamma_1, w.beta_1, w.epsilon);

    steps.mlp.hidden = linear(steps.residual1, w.W_1, w.b_1);
    steps.mlp.relu = relu(steps.mlp.hidden);
    steps.mlp.output = linear(steps.mlp.relu, w.W_2, w.b_2);
    steps.residual2 = sum(steps.norm1, steps.mlp.output);
    steps.norm2 = layer_norm(steps.residual2, w.gamma_2, w.beta_2, w.epsilon);
}
