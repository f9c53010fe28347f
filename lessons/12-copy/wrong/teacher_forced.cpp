// Lesson 12, a wrong solution: what is written is what the model says when it is given the right symbols.
// hint: written/teacher-forced
#include "lesson.h"

#include <cmath>

namespace {

int largest_in_row(const Matrix& m, int row) {
    int best = 0;
    for (int k = 1; k < m.columns(); ++k)
        if (m(row, k) > m(row, best)) best = k;
    return best;
}

}  // namespace

void make_batch(const Matrix& answers, const Vector& lengths, Steps& steps) {
    const int B = answers.rows(), T = answers.columns() + 1;
    steps.target = Matrix(B, T);
    steps.labels = Matrix(B, T);
    for (int b = 0; b < B; ++b) {
        const int n = static_cast<int>(lengths(b));
        steps.target(b, 0) = start;
        for (int t = 0; t < n; ++t) steps.target(b, 1 + t) = answers(b, t);
        for (int t = 0; t < n; ++t) steps.labels(b, t) = answers(b, t);
        steps.labels(b, n) = end;
        for (int t = n + 1; t < T; ++t) steps.labels(b, t) = ignored;
    }
}

void measure(const Matrix& source, const TransformerWeights& w, Steps& steps) {
    const int B = steps.target.rows(), T = steps.target.columns();

    steps.logits = Matrices(B, T, w.W.rows());
    for (int b = 0; b < B; ++b)
        steps.logits[b] = transformer_logits(row_of(source, b), row_of(steps.target, b), w);

    steps.losses = Matrix(B, T);
    double sum = 0, counted = 0, correct = 0;
    for (int b = 0; b < B; ++b) {
        const Matrix probabilities = softmax(steps.logits[b]);
        for (int t = 0; t < T; ++t) {
            const int label = static_cast<int>(steps.labels(b, t));
            if (label == ignored) continue;
            steps.losses(b, t) = -std::log(probabilities(t, label));
            sum += steps.losses(b, t);
            counted += 1;
            if (largest_in_row(probabilities, t) == label) correct += 1;
        }
    }

    steps.loss = Vector(1);
    steps.loss(0) = sum / counted;
    steps.accuracy = Vector(1);
    steps.accuracy(0) = correct / counted;
}

void decode(const Matrix& source, const TransformerWeights& w, int longest, Steps& steps) {
    const int B = source.rows();
    steps.written = Matrix(B, longest);
    steps.certainty = Matrix(B, longest);
    for (int b = 0; b < B; ++b) {
        for (int n = 0; n < longest; ++n) {
            Vector so_far(1 + n);
            so_far(0) = start;
            for (int t = 0; t < n; ++t) so_far(1 + t) = steps.written(b, t);
            const Matrix probabilities = softmax(transformer_logits(row_of(source, b), so_far, w));
            if (n == steps.logits[b].rows()) break;
            const int next = largest_in_row(steps.logits[b], n);
            steps.written(b, n) = next;
            steps.certainty(b, n) = probabilities(n, next);
            if (next == end) break;
        }
    }
}
