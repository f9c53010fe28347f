#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/numpy.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::tracer {

struct ModelSettings;

// A model's input arrays by name: x, memory, source, target, time; and the words behind them.
struct ModelInput {
    std::vector<std::pair<std::string, Tensor>> arrays;
    std::vector<std::string> words, target_words;  // of the first sentence; empty without --text
    std::vector<std::string> classes;  // what the result's columns are called, where they are no tokens
    Vocabulary vocabulary, target_vocabulary;
    std::vector<index_t> lengths, target_lengths;  // of padded sentences; empty otherwise
    std::string origin;                            // the origin of the numbers, for the title
    std::string rng;                               // "jax"; empty unless the numbers are random
    std::uint64_t seed = 0;
    // The --input file until read(); before that its arrays only have shapes, of shape_tensor().
    std::shared_ptr<const Npz> file;

    void read();
    void set(const std::string& name, Tensor value);  // in place of the array of this name, or as a new one
    bool has(const std::string& name) const;
    const Tensor& operator[](const std::string& name) const;
};

// The arrays that come from the --input file or from words; a command adds random ones (sequence() in
// model_builder.h). `names` are the arrays that the file must have; "memory?" is optional. Throws FileError
// if one is missing.
ModelInput read_arrays(const std::vector<std::string>& names, const ModelSettings& settings);

// "random numbers as JAX draws them, seed 42"
std::string drawn_as(Rng rng, std::uint64_t seed);

// A tensor of this shape in which all elements alias a single 0. For checking shapes before the numbers are
// read; not for computation.
inline Tensor shape_tensor(const Shape& shape) { return Tensor(real(0)).alias(shape, {}); }

}  // namespace glassbox::tracer
