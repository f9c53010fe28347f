#pragma once
#include "../support/given/decoder_block.h"
#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"
#include "../support/given/positional_encoding.h"
#include "../support/given/softmax.h"
#include "../support/weights.h"

// Three tokens that are no words. All others are words of a vocabulary.
constexpr int pad = 0, start = 1, end = 2;

// What the lesson asks for, step by step. Each is empty until you give it a value. Tokens are whole numbers
// in a Vector. S tokens are read, T tokens are written.
struct Steps {
    // The whole model, every position at once: transformer
    struct {
        Matrix scaled;      // (S, d_model)  the row of each token, scaled
        Matrix positional;  // (S, d_model)  with the positions
    } source;
    Matrix source_mask;  // (S, S)        1 where position i of the source may see position j of it
    Matrix memory;       // (S, d_model)  the output of the last encoder block
    Vector targets;      // (T)           what the decoder is given: the sentence without its end
    Vector labels;       // (T)           what it is to say at each position: the sentence without its start
    struct {
        Matrix scaled;      // (T, d_model)
        Matrix positional;  // (T, d_model)
    } target;
    Matrix target_mask;  // (T, T)        1 where position i of the targets may see position j of them
    Matrix memory_mask;  // (T, S)        1 where position i of the targets may see position j of the source
    Matrix decoded;      // (T, d_model)  the output of the last decoder block
    Matrix logits;       // (T, words)    one score for each word of the vocabulary
    Matrix softmax;      // (T, words)    one probability for each word
    Vector words;        // (T)           the most probable word at each position

    // One word after the other: translate
    Vector translation;  // (longest)  start, the words, end; pad behind it
};

// Given, from earlier lessons:
//   positional_encoding(T, d_model)   add(a, b)   linear(x, W, b)   softmax(x): each row on its own
//   encoder_block(x, weights, mask)   decoder_block(x, memory, weights, mask, memory_mask)
//
//   source (S)    the tokens of what is read; at its end there may be pad
//   sentence      start, the words, end, and there may be pad behind it: what is to be written, T + 1 tokens
//   w             ../support/weights.h says what is in it
extern "C" void transformer(const Vector& source, const Vector& sentence, const TransformerWeights& w,
                            Steps& steps);
// Only the source is known. Stops at `end`, or when there are `longest` tokens with the start.
extern "C" void translate(const Vector& source, const TransformerWeights& w, int longest, Steps& steps);
