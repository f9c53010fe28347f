#pragma once
#include <vector>

#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"
#include "../support/given/softmax.h"
#include "../support/matrices.h"

// What the lesson asks for, step by step. Each is empty until you give it a value. There are B sets of T
// elements side by side; in each all elements but one are of the same class. Places count from 0.
struct Steps {
    // Which one does not belong? find_anomaly
    Vector labels;         // (B)              its place, from the classes of the elements
    Matrices encoded;      // (B, T, d_model)  the output of the last block
    Matrices logits;       // (B, T, 1)        one number for each element
    Matrix scores;         // (B, T)           the same numbers, without the axis of size 1
    Matrix probabilities;  // (B, T)           how likely each element is the one; the softmax of scores
    Vector losses;         // (B)              what the model's answer costs, for each set
    Vector loss;           // (1)              their mean
    Vector found;          // (B)              the place of the likeliest element

    // The same sets in another order: permute
    struct {
        Matrices x;     // (B, T, d_in)  row i is row order(i) of x
        Vector labels;  // (B)           where the anomaly is now
        Matrix scores;  // (B, T)
    } permuted;
};

struct AnomalyWeights {
    Matrix W_in;  // (d_model, d_in)  input network
    Vector b_in;  // (d_model)
    std::vector<EncoderBlockWeights> encoder;
    Matrix W_out;  // (1, d_model)  output network: one linear layer, one number
    Vector b_out;  // (1)
};

// Given, from earlier lessons:
//   linear(x, W, b)   encoder_block(x, weights): everybody sees everybody   softmax(x): each row on its own
// x: B sets, matrices (T, d_in), one row of features for each element. classes (B, T): what each is.
extern "C" void find_anomaly(const Matrices& x, const Matrix& classes, const AnomalyWeights& w, Steps& steps);
// Called after it, with the same steps. order (T): the element that comes to place i was at place order(i).
extern "C" void permute(const Matrices& x, const Vector& order, const AnomalyWeights& w, Steps& steps);
