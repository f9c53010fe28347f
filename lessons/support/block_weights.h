#pragma once
#include "attention_weights.h"
#include "matrix.h"
#include "vector.h"

// The parameters of the Transformer's blocks, as PyTorch lays them out: one row of a W for each number of the
// result.
struct NormWeights {
    Vector gamma, beta;  // (d_model)
};

struct FeedForwardWeights {
    Matrix W_1;  // (d_ff, d_model)
    Vector b_1;  // (d_ff)
    Matrix W_2;  // (d_model, d_ff)
    Vector b_2;  // (d_model)
};

struct EncoderBlockWeights {
    AttentionWeights self_attn;
    FeedForwardWeights mlp;
    NormWeights norm1, norm2;
};

struct DecoderBlockWeights {
    AttentionWeights self_attn, cross_attn;
    FeedForwardWeights mlp;
    NormWeights norm1, norm2, norm3;
};
