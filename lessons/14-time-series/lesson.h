#pragma once
#include <vector>

#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"
#include "../support/matrices.h"
#include "../support/vector.h"

// What a window is for, in part(t).
constexpr int no_window = 0, for_training = 1, for_test = 2;
// The forecasts that are compared, in forecasts[…], mae(…), rmse(…) and mase(…).
constexpr int last_value = 0, seasonal_naive = 1, linear_model = 2, linear_by_step = 3, transformer = 4;

// A row for each window, in the order of their times.
struct Windows {
    Matrix x;        // (windows, L)  what is known: the last L values, oldest first
    Matrix targets;  // (windows, H)  what is to be forecast: the H values that follow
};

// What the lesson asks for, step by step. Each is empty until you give it a size. There are M windows for the
// test.
struct Steps {
    // The series around 0, with deviations of about 1: standardise
    Vector mean, deviation;  // (1)  of the training part
    Vector scaled;           // (T)  the whole series: minus the mean, by the deviation

    // What is known, and what comes after it: cut
    Vector part;             // (T)  what the window is for whose last known value is number t
    Windows training, test;  // of scaled

    // Forecasts of test.x that need no Transformer: baselines
    Matrix last;      // (M, H)  the last known value, H times
    Matrix seasonal;  // (M, H)  the value of the same place in the last known season
    Matrix linear;    // (M, H)  weighted sums of the window
    Matrix stepwise;  // (M, H)  only the next value, by row 0 of W; then forecast from that, and so on

    // What a Transformer makes of test.x: forecast
    Matrix time2vec;  // (L, k)         ω_0 τ + φ_0, then sin(ω_j τ + φ_j)
    Matrices input;   // (M, L, 1 + k)  at each place of a window its value, then its time2vec
    Matrix head;      // (M, H)         H numbers from the last place of what the encoder gives

    // In the series' own units again, and how far off they are: measure
    Matrices forecasts;  // (5, M, H)  last, seasonal, linear, stepwise, head
    Vector mae, rmse;    // (5)        of each, over all windows and steps ahead
    Vector scale;        // (1)        what repeating the season costs in the training part
    Vector mase;         // (5)        mae, measured in scale
};

struct Setting {
    int training;  // values 0 … training - 1 of the series are for training, all others for the test
    int window;    // L
    int horizon;   // H
    int season;    // after so many steps the season repeats; at most L
};

struct ForecasterWeights {
    Vector omega, phi;  // (k)
    Matrix W_in;        // (d_model, 1 + k)
    Vector b_in;        // (d_model)
    std::vector<EncoderBlockWeights> encoder;
    Matrix W_out;  // (H, d_model)
    Vector b_out;  // (H)
};

// Given, from earlier lessons:
//   linear(x, W, b): x Wᵀ + b, each row of x on its own
//   encoded(input, w): the input network and the encoder blocks; (L, 1 + k) → (L, d_model)
inline Matrix encoded(const Matrix& input, const ForecasterWeights& w) {
    Matrix h = linear(input, w.W_in, w.b_in);
    for (const EncoderBlockWeights& block : w.encoder) h = encoder_block(h, block);
    return h;
}

// series (T): T values, evenly spaced in time.
extern "C" void standardise(const Vector& series, const Setting& setting, Steps& steps);
// The others are called after it, in this order, with the same steps.
extern "C" void cut(const Setting& setting, Steps& steps);
// W (H, L), b (H): the linear model that was fitted to the windows for training.
extern "C" void baselines(const Setting& setting, const Matrix& W, const Vector& b, Steps& steps);
// tau (L): when each place of a window was measured, in steps since the last one: …, -2, -1, 0.
extern "C" void forecast(const Vector& tau, const ForecasterWeights& w, Steps& steps);
extern "C" void measure(const Vector& series, const Setting& setting, Steps& steps);
