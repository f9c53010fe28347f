// Lesson 02, a wrong solution: 1 is taken for hidden.
// hint: masked/inverted
#include "lesson.h"

#include <cmath>

void multi_head_attention(const Matrix& x, const AttentionWeights& w, const Matrix& mask, Steps& steps) {
    const int T = x.rows(), heads = w.heads, d_model = w.W_O.columns(), d_h = d_model / heads;

    steps.qkv = Matrix(T, 3 * d_model);
    for (int t = 0; t < T; ++t)
        for (int o = 0; o < 3 * d_model; ++o) {
            steps.qkv(t, o) = w.b_qkv(o);
            for (int c = 0; c < x.columns(); ++c) steps.qkv(t, o) += x(t, c) * w.W_qkv(o, c);
        }

    steps.Q = steps.K = steps.V = Matrices(heads, T, d_h);
    for (int h = 0; h < heads; ++h) {
        const int first = h * 3 * d_h;  // where head h's columns begin
        for (int t = 0; t < T; ++t)
            for (int c = 0; c < d_h; ++c) {
                steps.Q[h](t, c) = steps.qkv(t, first + c);
                steps.K[h](t, c) = steps.qkv(t, first + d_h + c);
                steps.V[h](t, c) = steps.qkv(t, first + 2 * d_h + c);
            }
    }

    steps.logits = steps.scaled = steps.masked = steps.attention = Matrices(heads, T, T);
    steps.values = Matrices(heads, T, d_h);
    for (int h = 0; h < heads; ++h) {
        for (int i = 0; i < T; ++i)
            for (int j = 0; j < T; ++j) {
                for (int c = 0; c < d_h; ++c) steps.logits[h](i, j) += steps.Q[h](i, c) * steps.K[h](j, c);
                steps.scaled[h](i, j) = steps.logits[h](i, j) / std::sqrt(d_h);
                steps.masked[h](i, j) = mask(i, j) == 1 ? hidden_score : steps.scaled[h](i, j);
            }
        steps.attention[h] = softmax(steps.masked[h]);
        for (int i = 0; i < T; ++i)
            for (int c = 0; c < d_h; ++c)
                for (int j = 0; j < T; ++j)
                    steps.values[h](i, c) += steps.attention[h](i, j) * steps.V[h](j, c);
    }

    steps.concat = Matrix(T, d_model);
    for (int h = 0; h < heads; ++h)
        for (int t = 0; t < T; ++t)
            for (int c = 0; c < d_h; ++c) steps.concat(t, h * d_h + c) = steps.values[h](t, c);

    steps.output = Matrix(T, d_model);
    for (int t = 0; t < T; ++t)
        for (int o = 0; o < d_model; ++o) {
            steps.output(t, o) = w.b_O(o);
            for (int c = 0; c < d_model; ++c) steps.output(t, o) += steps.concat(t, c) * w.W_O(o, c);
        }
}
