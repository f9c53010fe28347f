#pragma once
#include "../support/given/softmax.h"
#include "../support/given/transformer.h"
#include "../support/matrices.h"

// Three tokens that are no symbols. All others are symbols of an alphabet.
constexpr int pad = 0, start = 1, end = 2;
// A label that is none: it does not count.
constexpr int ignored = -1;

// What the lesson asks for, step by step. Each is empty until you give it a value. There are B sequences side
// by side; tokens are whole numbers. The longest answer that there may be has L symbols, and T = L + 1.
struct Steps {
    // What training needs: make_batch
    Matrix target;  // (B, T)  what the decoder is given: start, the answer; pad behind it
    Matrix labels;  // (B, T)  what it is to say at each place: the answer, end; ignored behind it

    // How good the model is when it is given the right symbols so far: measure
    Matrices logits;  // (B, T, words)  one score for each token that may come next
    Matrix losses;    // (B, T)         what each place costs; 0 where the label is ignored
    Vector loss;      // (1)            their mean, over the places that count
    Vector accuracy;  // (1)            the share of these where the largest score is the label's

    // What it writes by itself: decode
    Matrix written;    // (B, longest)  symbols, then end; pad behind it
    Matrix certainty;  // (B, longest)  the probability of each token when it was written; 0 behind the end
};

// Row b as a Vector: the tokens of sequence b.
inline Vector row_of(const Matrix& m, int b) {
    Vector row(m.columns());
    for (int c = 0; c < m.columns(); ++c) row(c) = m(b, c);
    return row;
}

// Given, from earlier lessons:
//   transformer_logits(source, target, w): both Vectors of tokens; a Matrix (size of target, words), in which
//   row t says what comes after target(t). It hides padding and what is to come.
//   softmax(x): each row on its own
// answers (B, L): symbols, pad behind them. lengths (B): how many symbols each answer has.
extern "C" void make_batch(const Matrix& answers, const Vector& lengths, Steps& steps);
// Called after it, with the same steps. source (B, S): what is read; symbols, end, pad behind it.
extern "C" void measure(const Matrix& source, const TransformerWeights& w, Steps& steps);
// Only the sources are known. Each stops at `end`, or when there are `longest` tokens.
extern "C" void decode(const Matrix& source, const TransformerWeights& w, int longest, Steps& steps);
