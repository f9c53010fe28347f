#pragma once
#include <functional>
#include <string>
#include <vector>

#include "check.h"
#include "matrices.h"
#include "transformer_weights.h"

namespace lesson {

// Weights of golden.npz under PyTorch's names behind a path: "encoder.layers.0." in a model, "" in a block.
NormWeights norm_weights_of(const Tensors& golden, const std::string& path);  // "<path>weight", "<path>bias"
EncoderBlockWeights encoder_block_weights_of(const Tensors& golden, const std::string& path = "");
DecoderBlockWeights decoder_block_weights_of(const Tensors& golden, const std::string& path = "");
TransformerWeights transformer_weights_of(const Tensors& golden);

// From the exercises' types back to tensors, for lessons that are checked with the given functions.
Tensor tensor_of(const Matrix& m);
Tensor tensor_of(const Matrices& m);
Tensor tensor_of(const Vector& v);

// A usual mistake: what a step would be if it were made so, as a Matrix, Matrices or a Vector. May throw
// std::out_of_range where the sizes forbid it.
struct Mistake {
    template <class Make>
    Mistake(const char* why, Make make) : reason(why), made([make] { return tensor_of(make()); }) {}

    const char* reason;  // as the hints name it
    std::function<Tensor()> made;
};
// The reason of the first mistake that gives what the student has for this step; "" when none does.
std::string first_that_gives(const Tensor& step, const std::vector<Mistake>& mistakes);

}  // namespace lesson
