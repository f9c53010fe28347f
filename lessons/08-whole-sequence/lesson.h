#pragma once
#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"
#include "../support/given/positional_encoding.h"
#include "../support/matrices.h"

// What the lesson asks for, step by step. Each is empty until you give it a value. There are B sequences side
// by side; all are padded to T elements, for a batch is a block of numbers without holes.
struct Steps {
    // The answer from all elements: aggregate
    Matrix real;       // (B, T)           1 where an element is real, 0 where it is padding
    Matrices encoded;  // (B, T, d_model)  what the encoder makes of x with its positions
    struct {
        Matrix pooled;  // (B, d_model)  the mean of the real elements of `encoded`
        Matrix logits;  // (B, classes)
    } mean;
    struct {
        Matrix pooled;  // (B, d_model)  the largest number of each column, of the real elements
        Matrix logits;  // (B, classes)
    } max;

    // The answer from a token of its own: aggregate_by_token
    struct {
        Matrices input;    // (B, 1 + T, d_model)  in each sequence the [CLS] token, and then x
        Matrix real;       // (B, 1 + T)
        Matrices encoded;  // (B, 1 + T, d_model)
        Matrix pooled;     // (B, d_model)  the one row of each sequence that is read
        Matrix logits;     // (B, classes)
    } cls;
};

struct WholeWeights {
    EncoderBlockWeights encoder;
    Vector cls;  // (d_model)  the [CLS] token
    Matrix W;    // (classes, d_model)  the output network: one linear layer, as in the report
    Vector b;    // (classes)
};

// Given, from earlier lessons:
//   positional_encoding(T, d_model)   add(a, b)   linear(x, W, b)
//   encoder_block(x, w.encoder, mask): mask(i, j) is 1 where row i may see row j, and 0 where it may not
// x: B matrices (T, d_model), what the input network has made of the elements, still without positions.
// lengths (B): how many elements of each sequence are real. They stand first, padding behind them.
extern "C" void aggregate(const Matrices& x, const Vector& lengths, const WholeWeights& w, Steps& steps);
// Called after it, with the same steps.
extern "C" void aggregate_by_token(const Matrices& x, const Vector& lengths, const WholeWeights& w,
                                   Steps& steps);
