#pragma once
#include <optional>

#include "../support/matrix.h"
#include "../support/vector.h"

// What the lesson asks for, step by step. Each is empty until you give it a value.
struct Steps {
    // How wrong is the model, and what would make it less wrong? cross_entropy
    Vector losses;               // (T)           one loss for each position; 0 where there is no label
    std::optional<double> loss;  //               the mean over the positions that have a label
    Matrix gradient;             // (T, classes)  ∂loss/∂logits

    // Of S updates, row t is the t-th, counted from 0: clip
    Vector norm;  // (S)  the length of the whole gradient
    struct {
        Matrix W;  // (S, n)
        Matrix b;  // (S, n_b)
    } clipped;

    // The learning rate: learning_rates
    Vector rates;  // (N)  of update 0 … N - 1

    // What becomes of the parameter W, update after update: adamw
    Matrix m, v;          // (S, n)  the mean of the gradients so far, and of their squares
    Matrix m_hat, v_hat;  // (S, n)  the same, corrected for having begun at 0
    Matrix weights;       // (S, n)  W after the update
};

// A model with two parameters. The numbers of each stand in one row, and there is a row for each update.
struct Gradients {
    Matrix W;  // (S, n)
    Matrix b;  // (S, n_b)
};

struct Schedule {
    double peak;  // the largest learning rate
    int warmup;   // W, updates in which it rises
    int updates;  // N, of the whole training; N > W
};

struct AdamW {
    double beta1, beta2, epsilon, weight_decay;
};

// logits (T, classes), and labels (T): the class that is right, or -1 where nothing is to be said (padding).
extern "C" void cross_entropy(const Matrix& logits, const Vector& labels, Steps& steps);
// The gradients before each update; whatever is longer than max_norm is shortened to it.
extern "C" void clip(const Gradients& gradients, double max_norm, Steps& steps);
extern "C" void learning_rates(const Schedule& schedule, Steps& steps);
// w (n): W before the first update. Called after the others, with the same steps: the gradients are
// steps.clipped.W, the learning rates steps.rates.
extern "C" void adamw(const Vector& w, const AdamW& settings, Steps& steps);
