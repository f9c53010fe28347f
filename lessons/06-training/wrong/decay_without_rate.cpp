// Lesson 06, a wrong solution: the decay is not times the learning rate.
// hint: weights/decay-without-rate
#include "lesson.h"

#include <algorithm>
#include <cmath>
#include <numbers>

void cross_entropy(const Matrix& logits, const Vector& labels, Steps& steps) {
    const int T = logits.rows(), classes = logits.columns();
    int counted = 0;
    for (int t = 0; t < T; ++t) counted += labels(t) >= 0;

    steps.losses = Vector(T);
    steps.gradient = Matrix(T, classes);
    double total = 0;
    for (int t = 0; t < T; ++t) {
        if (labels(t) < 0) continue;  // nothing is to be said here
        const int label = static_cast<int>(labels(t));
        double largest = logits(t, 0), sum = 0;
        for (int k = 0; k < classes; ++k) largest = std::max(largest, logits(t, k));
        for (int k = 0; k < classes; ++k) sum += std::exp(logits(t, k) - largest);
        steps.losses(t) = std::log(sum) + largest - logits(t, label);
        total += steps.losses(t);
        for (int k = 0; k < classes; ++k) {
            const double probability = std::exp(logits(t, k) - largest) / sum;
            steps.gradient(t, k) = (probability - (k == label ? 1 : 0)) / counted;
        }
    }
    steps.loss = total / counted;
}

void clip(const Gradients& gradients, double max_norm, Steps& steps) {
    const int S = gradients.W.rows();
    steps.norm = Vector(S);
    steps.clipped.W = gradients.W;
    steps.clipped.b = gradients.b;
    for (int t = 0; t < S; ++t) {
        double squares = 0;
        for (int i = 0; i < gradients.W.columns(); ++i) squares += gradients.W(t, i) * gradients.W(t, i);
        for (int i = 0; i < gradients.b.columns(); ++i) squares += gradients.b(t, i) * gradients.b(t, i);
        steps.norm(t) = std::sqrt(squares);

        const double factor = steps.norm(t) > max_norm ? max_norm / steps.norm(t) : 1;
        for (int i = 0; i < gradients.W.columns(); ++i) steps.clipped.W(t, i) *= factor;
        for (int i = 0; i < gradients.b.columns(); ++i) steps.clipped.b(t, i) *= factor;
    }
}

void learning_rates(const Schedule& schedule, Steps& steps) {
    const double W = schedule.warmup, N = schedule.updates;
    steps.rates = Vector(schedule.updates);
    for (int t = 0; t < schedule.updates; ++t) {
        const double factor = t < W ? t / W : 0.5 * (1 + std::cos(std::numbers::pi * (t - W) / (N - W)));
        steps.rates(t) = schedule.peak * factor;
    }
}

void adamw(const Vector& w, const AdamW& settings, Steps& steps) {
    const auto [beta1, beta2, epsilon, decay] = settings;
    const int S = steps.clipped.W.rows(), n = w.size();
    steps.m = steps.v = steps.m_hat = steps.v_hat = steps.weights = Matrix(S, n);
    for (int t = 0; t < S; ++t)
        for (int i = 0; i < n; ++i) {
            const double g = steps.clipped.W(t, i), rate = steps.rates(t);
            const double m = t > 0 ? steps.m(t - 1, i) : 0, v = t > 0 ? steps.v(t - 1, i) : 0;
            steps.m(t, i) = beta1 * m + (1 - beta1) * g;
            steps.v(t, i) = beta2 * v + (1 - beta2) * g * g;

            // The first update has number 1.
            steps.m_hat(t, i) = steps.m(t, i) / (1 - std::pow(beta1, t + 1));
            steps.v_hat(t, i) = steps.v(t, i) / (1 - std::pow(beta2, t + 1));

            const double before = t > 0 ? steps.weights(t - 1, i) : w(i);
            const double step = steps.m_hat(t, i) / (std::sqrt(steps.v_hat(t, i)) + epsilon);
            steps.weights(t, i) = before - rate * step - decay * before;
        }
}
