#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/layers/mask.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/detail/machine_memory.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

#include "cli/options.h"

namespace tracer {

using glassbox::index_t;
using glassbox::Tensor;

// What attention is computed from: Q, K and V, or a sequence x and the weights that make them.
struct AttentionInput {
    Tensor Q, K, V;
    Tensor x, W_Q, W_K, W_V;  // undefined unless the input is x
    std::optional<glassbox::AdditiveWeights> additive;
    std::string origin;  // where they come from, in words
    std::string rng;     // "jax"; empty unless they are drawn
    std::uint64_t seed = 0;

    bool is_projected() const { return x.defined(); }
};

struct Sizes {
    index_t queries = 3, keys = 3, d_k = 2, d_v = 2, d_a = 2;
    glassbox::Shape leading;  // (), (batch,) or (batch, heads)
    double others = 0;        // how many numbers x and the weights have
};

// A mask that does not fit is the fault of the option that asks for it: "--mask m.npy: a mask of shape …".
template <class Work>
void blame_option(const std::string& option, Work work) {
    try {
        work();
    } catch (const glassbox::Error& error) {
        const std::string reason = error.what();  // "mask: …"
        glassbox::fail<glassbox::UsageError>("{}: {}", option, reason.substr(reason.find(": ") + 2));
    }
}

// What does not fit in numbers from a file is the file's fault: an Error of `work` that is no UsageError
// becomes a FileError that names it. Without a file it stays what it is.
template <class Work>
void blame_file(const std::string& file, Work work) {
    try {
        work();
    } catch (const glassbox::UsageError&) {
        throw;
    } catch (const glassbox::Error& error) {
        if (!file.empty()) glassbox::fail<glassbox::FileError>("{}: {}", file, error.what());
        throw;
    }
}

// "random numbers as JAX draws them, seed 42"
std::string drawn_as(glassbox::Rng rng, std::uint64_t seed);

// Refuses at once what the machine's memory cannot hold, and says how much it would need.
void check_memory(const Sizes& sizes, glassbox::Score score, bool with_gradients);

AttentionInput draw_input(const Sizes& sizes, glassbox::Rng rng, std::uint64_t seed, glassbox::Score score);
// From an .npz with x, W_Q, W_K, W_V, else with Q, K, V; with the additive score W_q, W_k and v too. What the
// command has written it reads. `check` gets them first with their shapes alone (stand_in.h), and may throw:
// the numbers are unpacked after it.
AttentionInput read_input(const std::string& file, glassbox::Score score,
                          const std::function<void(const AttentionInput& shapes)>& check);
// "1 0; 0 1", "1,0;0,1" or "[[1, 0], [0, 1]]": rows of numbers. `option` is named in errors.
Tensor parse_matrix(const std::string& option, const std::string& text);
// none, causal, window:N, or the name of an .npy or .npz file with a 0/1 array (in an .npz: its only array,
// or "mask"). A file's array must fit `scores`, if these are known, before its numbers are read.
glassbox::Mask parse_mask(const std::string& text, const std::optional<glassbox::Shape>& scores);
inline constexpr const char* mask_help =
    "none, causal, window:N, or an .npy or .npz file of 0 (hidden) and 1 (seen).";
Values mask_values();
// "5,3": how many positions are real in each sequence of a batch.
std::vector<index_t> parse_lengths(const std::string& option, const std::string& text);

// cpu or cuda. Throws Error that says why when this program has no such backend.
glassbox::Device device_of(const std::string& backend);

// `--products`: how a GPU multiplies, for all that follows.
void declare_products(Options& options, std::string& typed);
// Throws UsageError when neither backend is a GPU's.
void use_products(const std::string& products, const std::string& backend, const std::string& compare = "");
using glassbox::machine_memory;

}  // namespace tracer
