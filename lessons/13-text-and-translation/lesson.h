#pragma once
#include "../support/given/multi_head_attention.h"
#include "../support/given/positional_encoding.h"
#include "../support/given/softmax.h"
#include "../support/matrices.h"

// Tokens with a meaning of their own. The letters come after them: letter a has the id first_letter + a.
constexpr int pad = 0, start = 1, end = 2, unknown = 3, first_letter = 4;
// A label that is none: it does not count.
constexpr int ignored = -1;

// What the lesson asks for, step by step. Each is empty until you give it a value.
struct Steps {
    // From a corpus to tokens: learn, encode. There are V = first_letter + A ids before the first merge.
    Vector letters;  // (A)       the distinct letters of the corpus, ascending
    Matrix ids;      // (W, L)    the corpus in ids; pad behind each word
    Matrix pairs;    // (V, V)    pairs(a, b): how often b stands directly behind a
    Matrix merges;   // (n, 3)    each: left, right, and the id of the token that they become
    Matrix tokens;   // (W', L')  other words, in ids of letters and of merged tokens; pad behind each

    // From sentences to a batch: make_batch. S and T are one less than the columns of source and target.
    Matrix inputs;         // (B, S)     what the encoder reads: a sentence without its start
    Matrix source_mask;    // (B, S)     1 where inputs has a word, 0 where it has pad
    Matrix targets;        // (B, T)     what the decoder is given: a sentence without its end
    Matrix labels;         // (B, T)     what it is to say: a sentence without its start; ignored, not pad
    Matrices target_mask;  // (B, T, T)  1 where place i may see place j

    // The decoder reads token after token: read_token. K and V are the cache: they have a row for each token
    // so far, and you find them as you left them. All others belong to the last token.
    Matrix x;          // (1, d)      the token's row of the embedding, times √d, with its position
    Matrix K, V;       // (n, d)      keys and values of all n tokens so far
    Matrix attention;  // (1, n)      how much the last token looks at each
    Matrix values;     // (1, d)      what it takes from them
    Matrix logits;     // (1, words)  one score for each token that may come next
    Vector next;       // (1)         the token that is written
};

// A decoder of one causal attention with one head, of width d.
struct DecoderWeights {
    Matrix embedding;      // (words, d)
    Matrix W_Q, W_K, W_V;  // (d, d) each, as linear takes them
    Vector b_Q, b_K, b_V;  // (d)
    Matrix W;              // (words, d)  the last layer
    Vector b;              // (words)
};

// `row` (1, columns) below the rows of m, which may have none yet.
inline Matrix with_row(const Matrix& m, const Matrix& row) {
    if (m.rows() > 0 && m.columns() != row.columns())
        throw std::out_of_range("with_row: a row of " + std::to_string(row.columns()) +
                                " numbers below rows of " + std::to_string(m.columns()));
    Matrix all(m.rows() + row.rows(), row.columns());
    for (int r = 0; r < all.rows(); ++r)
        for (int c = 0; c < all.columns(); ++c) all(r, c) = r < m.rows() ? m(r, c) : row(r - m.rows(), c);
    return all;
}

// Given, from earlier lessons:
//   linear(x, W, b)                   x Wᵀ + b
//   softmax(scores)                   each row by itself
//   positional_encoding(T, d_model)   rows for the positions 0 … T − 1

// words (W, L): the distinct words of the corpus, a letter is its number in Unicode, with 0 behind each word.
// counts (W): how often each occurs in the corpus. how_many: the number of merges.
extern "C" void learn(const Matrix& words, const Vector& counts, int how_many, Steps& steps);
// Called after it, with the same steps. text (W', L'): other words, as above.
extern "C" void encode(const Matrix& text, Steps& steps);
// source (B, S + 1), target (B, T + 1): in each row start, the words' ids, end, and pad behind it.
extern "C" void make_batch(const Matrix& source, const Matrix& target, Steps& steps);
// Called once for each token, with the same steps: position 0, 1, 2, …
extern "C" void read_token(int token, int position, const DecoderWeights& w, Steps& steps);
