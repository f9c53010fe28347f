#pragma once
#include <optional>

#include "../support/given/predictor.h"
#include "../support/matrices.h"

// What the lesson asks for, step by step. Each is empty until you give it a value. B sequences of T numbers
// make a batch; each number is one of C: 0 … C - 1.
struct Steps {
    // What the model is asked, and what it should say: make_batch
    Matrices x;     // B of (T, C)  row t is 1 at its number, 0 everywhere else
    Matrix labels;  // (B, T)       the same numbers backwards

    // One step of training: training_step
    Matrices logits;                   // B of (T, C)  what the model says
    Matrix losses;                     // (B, T)       -ln of the label's probability
    std::optional<double> loss;        //              their mean
    Vector gradient;                   // (C)          ∂loss/∂b_2
    std::optional<double> loss_after;  //              the same batch's loss with b_2 one step further

    // What has it learned? look
    Matrix answers;                  // (B, T)  the numbers that it says
    std::optional<double> accuracy;  //         which share of all B · T is right, from 0 to 1
    std::optional<double> mirrored;  //         how much of its attention goes where the answer stands
};

// Given, from earlier lessons:
//   predict(x[b], w)   the whole predictor, for one sequence: .logits (T, C), .attention (T, T)
//   softmax(m)         each row on its own
// numbers (B, T): a batch of sequences.
extern "C" void make_batch(const Matrix& numbers, int categories, Steps& steps);
// Called after it, with the same steps. The step is plain gradient descent, of the output network's last bias
// alone: w.b_2 - rate · gradient.
extern "C" void training_step(const ModelWeights& w, double rate, Steps& steps);
// Called after both.
extern "C" void look(const ModelWeights& w, Steps& steps);
