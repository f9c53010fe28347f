#pragma once
#include <string>

#include "answer.h"
#include "transformer_weights.h"

namespace lesson {

// Weights of golden.npz under PyTorch's names behind a path: "encoder.layers.0." in a model, "" in a block.
NormWeights norm_weights_of(const Tensors& golden, const std::string& path);  // "<path>weight", "<path>bias"
EncoderBlockWeights encoder_block_weights_of(const Tensors& golden, const std::string& path = "");
DecoderBlockWeights decoder_block_weights_of(const Tensors& golden, const std::string& path = "");
TransformerWeights transformer_weights_of(const Tensors& golden);

}  // namespace lesson
