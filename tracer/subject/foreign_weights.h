#pragma once
#include <string>

#include <glassbox/io/named_tensors.h>

namespace tracer {

// Weights as other programs name them.
struct ForeignWeights {
    std::string what;    // "a BERT of Hugging Face, d_model 384, 6 layers, d_ff 1536"; empty: nothing known
    std::string advice;  // how they can be brought
};
ForeignWeights foreign_weights(const glassbox::NamedTensors& tensors);

}  // namespace tracer
