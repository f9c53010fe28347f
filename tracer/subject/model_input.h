#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/npz.h>
#include <glassbox/random/stream.h>
#include <glassbox/tasks/vocabulary.h>
#include <glassbox/tensor/tensor.h>

namespace tracer {

using glassbox::index_t;
using glassbox::Tensor;

struct ModelSettings;

// The numbers that a model is given, by name: x, memory, source, target, time; and the words they stand for.
struct ModelInput {
    std::vector<std::pair<std::string, Tensor>> arrays;
    std::vector<std::string> words, target_words;  // of the first sentence; empty without --text
    glassbox::Vocabulary vocabulary, target_vocabulary;
    std::vector<index_t> lengths, target_lengths;  // of sentences that were padded; empty otherwise
    std::string origin;                            // where the numbers come from, in words
    std::string rng;                               // "jax"; empty unless they are drawn
    std::uint64_t seed = 0;
    // The --input file, until read(): as long as it is there its arrays have shapes alone (stand_in.h).
    std::shared_ptr<const glassbox::Npz> file;

    void read();
    bool has(const std::string& name) const;
    const Tensor& operator[](const std::string& name) const;
};

// x, memory …, as far as they come from the --input file or from words; what is drawn, a command adds
// (Making::sequence). `names` are the arrays that the file must have; "memory?" may be left out. Throws
// FileError when it does not have what the command needs.
ModelInput read_arrays(const std::vector<std::string>& names, const ModelSettings& settings);

// "random numbers as JAX draws them, seed 42"
std::string drawn_as(glassbox::Rng rng, std::uint64_t seed);

}  // namespace tracer
