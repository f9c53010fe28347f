#pragma once
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::tracer {

// Weights as other programs name them.
struct ForeignWeights {
    std::string what;    // "a BERT of Hugging Face, d_model 384, 6 layers, d_ff 1536"; empty: nothing known
    std::string advice;  // how they can be brought
};
ForeignWeights foreign_weights(const NamedTensors& tensors);

// What the numbers of a model's weights show that their names do not.
struct NamedWeights {
    std::string name;
    const Tensor* value;
};

// Why they cannot be weights: whole numbers in the thousands are the bits of float16 or bfloat16, kept as
// integers, or quantised; else empty.
std::string why_no_weights(const std::vector<NamedWeights>& weights);

// Whether they are only zeros and ones, about as many of each, as in masks.
bool are_true_and_false(const std::vector<NamedWeights>& weights);

}  // namespace glassbox::tracer
