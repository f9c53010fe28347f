#pragma once
#include <vector>

#include "block_weights.h"

// The parameters of a whole Transformer, one block after the other in each stack.
struct TransformerWeights {
    Matrix source_embedding;  // (words of the source's vocabulary, d_model)  one row for each token
    Matrix target_embedding;  // (words of the target's vocabulary, d_model)
    std::vector<EncoderBlockWeights> encoder;
    std::vector<DecoderBlockWeights> decoder;
    Matrix W;  // (words of the target's vocabulary, d_model)  the last linear layer
    Vector b;
};
