// Lesson 09, a wrong solution: positions are added, as for a sequence.
// hint: encoded/positions
#include "lesson.h"

#include <cmath>

#include "../support/given/positional_encoding.h"

namespace {

Matrix encode(const Matrix& x, const AnomalyWeights& w) {
    Matrix h = add(linear(x, w.W_in, w.b_in), positional_encoding(x.rows(), w.W_in.rows()));
    for (const EncoderBlockWeights& block : w.encoder) h = encoder_block(h, block);
    return h;
}

int largest_in_row(const Matrix& m, int row) {
    int best = 0;
    for (int i = 1; i < m.columns(); ++i)
        if (m(row, i) > m(row, best)) best = i;
    return best;
}

bool is_alone(const Matrix& classes, int b, int i) {
    for (int j = 0; j < classes.columns(); ++j)
        if (j != i && classes(b, j) == classes(b, i)) return false;
    return true;
}

}  // namespace

void find_anomaly(const Matrices& x, const Matrix& classes, const AnomalyWeights& w, Steps& steps) {
    const int B = x.count(), T = x[0].rows();

    steps.labels = Vector(B);
    for (int b = 0; b < B; ++b)
        for (int i = 0; i < T; ++i)
            if (is_alone(classes, b, i)) steps.labels(b) = i;

    steps.encoded = Matrices(B, T, w.W_in.rows());
    steps.logits = Matrices(B, T, 1);
    steps.scores = Matrix(B, T);
    for (int b = 0; b < B; ++b) {
        steps.encoded[b] = encode(x[b], w);
        steps.logits[b] = linear(steps.encoded[b], w.W_out, w.b_out);
        for (int i = 0; i < T; ++i) steps.scores(b, i) = steps.logits[b](i, 0);
    }

    steps.probabilities = softmax(steps.scores);

    steps.losses = Vector(B);
    steps.loss = Vector(1);
    for (int b = 0; b < B; ++b) {
        steps.losses(b) = -std::log(steps.probabilities(b, static_cast<int>(steps.labels(b))));
        steps.loss(0) += steps.losses(b) / B;
    }

    steps.found = Vector(B);
    for (int b = 0; b < B; ++b) steps.found(b) = largest_in_row(steps.probabilities, b);
}

void permute(const Matrices& x, const Vector& order, const AnomalyWeights&, Steps& steps) {
    const int B = x.count(), T = x[0].rows();

    steps.permuted.x = x;
    steps.permuted.labels = Vector(B);
    steps.permuted.scores = Matrix(B, T);
    for (int b = 0; b < B; ++b)
        for (int i = 0; i < T; ++i) {
            const int from = static_cast<int>(order(i));
            for (int c = 0; c < x[b].columns(); ++c) steps.permuted.x[b](i, c) = x[b](from, c);
            if (from == steps.labels(b)) steps.permuted.labels(b) = i;
            steps.permuted.scores(b, i) = steps.scores(b, from);  // equivariant: no need to run the model
        }
}
