#pragma once
#include <vector>

#include "matrix.h"
#include "vector.h"

// The parameters of multi-head attention, as PyTorch lays them out: one row of W for each number of the
// result. d_h = d_model / heads is the width of one head.
struct AttentionWeights {
    int heads = 0;
    Matrix W_qkv;  // (3·d_model, width of x)  rows: head 0's q, k, v, then head 1's q, k, v, … of d_h each
    Vector b_qkv;  // (3·d_model)
    Matrix W_O;    // (d_model, d_model)
    Vector b_O;    // (d_model)
};

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

// The parameters of a whole Transformer, one block after the other in each stack.
struct TransformerWeights {
    Matrix source_embedding;  // (words of the source's vocabulary, d_model)  one row for each token
    Matrix target_embedding;  // (words of the target's vocabulary, d_model)
    std::vector<EncoderBlockWeights> encoder;
    std::vector<DecoderBlockWeights> decoder;
    Matrix W;  // (words of the target's vocabulary, d_model)  the last linear layer
    Vector b;
};
