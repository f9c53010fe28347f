#pragma once
#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"
#include "../support/given/positional_encoding.h"
#include "../support/given/softmax.h"

// What the lesson asks for, step by step. Each is empty until you give it a value.
struct Steps {
    // One prediction for every element: predict_elements
    Matrix x;          // (T, d_in)     one row for each element: 1 at its number, 0 everywhere else
    Matrix input_net;  // (T, d_model)  x W_inᵀ + b_in
    struct {
        Matrix output;  // (T, d_model)  input_net with the positions added
    } positional;
    Matrix encoded;  // (T, d_model)  the encoder's output, which is its only block's norm2
    struct {
        Matrix linear;  // (T, d_model)
        Matrix norm;    // (T, d_model)
        Matrix relu;    // (T, d_model)
    } output_net;
    Matrix logits;   // (T, classes)  the output network's last layer: one score for each class
    Matrix softmax;  // (T, classes)  one probability for each class

    // One prediction for the whole sequence: predict_whole
    struct {
        Matrix pooled;  // (1, d_model)  the mean of all positions of `encoded`
        Matrix logits;  // (1, classes)
    } mean;
    struct {
        Matrix cls;  // (1 + T, d_model)  the [CLS] token, and then input_net
        struct {
            Matrix output;  // (1 + T, d_model)
        } positional;
        Matrix encoded;  // (1 + T, d_model)
        Matrix pooled;   // (1, d_model)  the one row that is read
        Matrix logits;   // (1, classes)
    } cls;
};

struct PredictorWeights {
    Matrix W_in;  // (d_model, d_in)  input network
    Vector b_in;  // (d_model)
    EncoderBlockWeights encoder;
    Matrix W_1;        // (d_model, d_model)  output network
    Vector b_1;        // (d_model)
    NormWeights norm;  // (d_model)
    Matrix W_2;        // (classes, d_model)
    Vector b_2;        // (classes)
    Vector cls;        // (d_model)  the [CLS] token, learned like any other weight
};

// Given, from earlier lessons:
//   linear(x, W, b)   positional_encoding(T, d_model)   add(a, b)   encoder_block(x, w.encoder)
//   layer_norm(x, w.norm)   softmax(x): each row on its own
// ids (T): which of the d_in things each element is, such as the digits 3, 1, 4.
extern "C" void predict_elements(const Vector& ids, const PredictorWeights& w, Steps& steps);
// Called after it, with the same steps.
extern "C" void predict_whole(const PredictorWeights& w, Steps& steps);
