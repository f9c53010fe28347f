#pragma once
#include "../support/given/encoder_block.h"
#include "../support/given/multi_head_attention.h"

// What the lesson asks for, step by step. Each is empty until you give it a value.
// T positions are being written, S positions of the memory have been read.
struct Steps {
    Matrix mask;  // (T, T)  1 where position i may see position j, 0 where it may not
    struct {
        Matrix output;  // (T, d_model)  what every position found among those up to itself
    } self_attn;
    Matrix residual1;  // (T, d_model)
    Matrix norm1;      // (T, d_model)
    struct {
        Matrix output;  // (T, d_model)  what every position found in the memory
    } cross_attn;
    Matrix residual2;  // (T, d_model)
    Matrix norm2;      // (T, d_model)
    struct {
        Matrix output;  // (T, d_model)  the feed-forward network
    } mlp;
    Matrix residual3;  // (T, d_model)
    Matrix norm3;      // (T, d_model)  what the block hands on
};

// One block of a decoder.
//   x            (T, d_model)  one position a row, of what is being written
//   memory       (S, d_model)  the encoder's output: one position a row, of what was read
//   memory_mask  (T, S)        1 where position i may see position j of the memory; 0 at padding
//   w            w.self_attn, w.cross_attn, w.mlp, w.norm1, w.norm2, w.norm3
// Given, from earlier lessons:
//   multi_head_attention(queries_of, keys_of, values_of, w.self_attn, mask)   the mask has a row for each
//   query
//                                                                             and a column for each key
//   layer_norm(x, w.norm1)   feed_forward(x, w.mlp)   add(a, b)
extern "C" void decoder_block(const Matrix& x, const Matrix& memory, const Matrix& memory_mask,
                              const DecoderBlockWeights& w, Steps& steps);
