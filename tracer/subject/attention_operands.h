#pragma once
#include <optional>

#include <glassbox/layers/parameters.h>
#include <glassbox/layers/projection.h>
#include <glassbox/layers/score_functions.h>

#include "subject/model_input.h"

namespace tracer {

// What attention is computed from: Q, K and V, or a sequence x and the weights that make them; with the
// additive score its weights, too. The weights are those of `own`, where it has them, else of the input.
struct AttentionWeights {
    Tensor W_Q, W_K, W_V;  // (d_in, d_k), (d_in, d_k), (d_in, d_v)
    Tensor W_q, W_k, v;    // (d_k, d_a), (d_k, d_a), (d_a)

    void parameters(glassbox::Parameters& all);
};

// The three ways to write what attention is given, as far as there is something: shapes alone while a file is
// open (ModelInput::file), numbers later.
struct AttentionOperands {
    Tensor x;        // undefined where Q, K and V are given
    Tensor Q, K, V;  // undefined where x is
    glassbox::Projection projection;
    std::optional<glassbox::AdditiveWeights> additive;

    bool is_projected() const { return x.defined(); }
    glassbox::Projected qkv() const;         // computed from x, or as they are
    glassbox::Projected qkv_shapes() const;  // stand-ins of the same shapes: nothing is computed
};
AttentionOperands operands_of(const ModelInput& input, const AttentionWeights& own, glassbox::Score score);

struct AttentionSizes {
    index_t queries = 3, keys = 3, d_k = 2, d_v = 2, d_a = 2;
    glassbox::Shape leading;  // (), (batch,) or (batch, heads)
    double others = 0;        // how many numbers x and the weights have

    glassbox::Shape scores() const { return leading.with_appended(queries).with_appended(keys); }
};
// As far as the shapes make sense; attention itself refuses what does not fit.
AttentionSizes sizes_of(const AttentionOperands& operands);

// Refuses at once what the machine's memory cannot hold, and says how much it would need.
void check_memory(const AttentionSizes& sizes, glassbox::Score score, bool with_gradients);

// The computation itself; whoever listens sees every step.
void attend(const AttentionOperands& operands, glassbox::Score score, const glassbox::Mask& mask,
            const glassbox::AttentionConfig& config);

}  // namespace tracer
