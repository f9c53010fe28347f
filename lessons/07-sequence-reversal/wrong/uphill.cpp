// Lesson 07, a wrong solution: the step goes where the loss grows.
// hint: loss_after/uphill
#include "lesson.h"

#include <cmath>

namespace {

// Mean of -ln softmax(logits)[label], each loss written into `losses`.
double mean_loss(const Matrices& logits, const Matrix& labels, Matrix& losses) {
    losses = Matrix(labels.rows(), labels.columns());
    double sum = 0;
    for (int b = 0; b < losses.rows(); ++b) {
        const Matrix probabilities = softmax(logits[b]);
        for (int t = 0; t < losses.columns(); ++t) {
            losses(b, t) = -std::log(probabilities(t, static_cast<int>(labels(b, t))));
            sum += losses(b, t);
        }
    }
    return sum / (losses.rows() * losses.columns());
}

Matrices logits_of(const Matrices& x, const ModelWeights& w) {
    Matrices logits(x.count(), x[0].rows(), x[0].columns());
    for (int b = 0; b < x.count(); ++b) logits[b] = predict(x[b], w).logits;
    return logits;
}

int largest(const Matrix& m, int t) {
    int best = 0;
    for (int k = 1; k < m.columns(); ++k)
        if (m(t, k) > m(t, best)) best = k;
    return best;
}

}  // namespace

void make_batch(const Matrix& numbers, int categories, Steps& steps) {
    const int B = numbers.rows(), T = numbers.columns();
    steps.x = Matrices(B, T, categories);
    steps.labels = Matrix(B, T);
    for (int b = 0; b < B; ++b)
        for (int t = 0; t < T; ++t) {
            steps.x[b](t, static_cast<int>(numbers(b, t))) = 1;
            steps.labels(b, t) = numbers(b, T - 1 - t);
        }
}

void training_step(const ModelWeights& w, double rate, Steps& steps) {
    const int B = steps.labels.rows(), T = steps.labels.columns(), C = w.b_2.size();
    steps.logits = logits_of(steps.x, w);
    steps.loss = mean_loss(steps.logits, steps.labels, steps.losses);

    steps.gradient = Vector(C);
    for (int b = 0; b < B; ++b) {
        const Matrix probabilities = softmax(steps.logits[b]);
        for (int t = 0; t < T; ++t)
            for (int k = 0; k < C; ++k)
                steps.gradient(k) += (probabilities(t, k) - (k == steps.labels(b, t) ? 1 : 0)) / (B * T);
    }

    ModelWeights after = w;
    for (int k = 0; k < C; ++k) after.b_2(k) = w.b_2(k) + rate * steps.gradient(k);
    Matrix losses;
    steps.loss_after = mean_loss(logits_of(steps.x, after), steps.labels, losses);
}

void look(const ModelWeights& w, Steps& steps) {
    const int B = steps.labels.rows(), T = steps.labels.columns();
    steps.answers = Matrix(B, T);
    double right = 0, there = 0;
    for (int b = 0; b < B; ++b) {
        const Prediction prediction = predict(steps.x[b], w);
        for (int t = 0; t < T; ++t) {
            steps.answers(b, t) = largest(prediction.logits, t);
            right += steps.answers(b, t) == steps.labels(b, t);
            there += prediction.attention(t, T - 1 - t);
        }
    }
    steps.accuracy = right / (B * T);
    steps.mirrored = there / (B * T);
}
