#pragma once
#include <optional>

#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/layers/score_functions.h>

#include "subject/model_input.h"

namespace glassbox::tracer {

// The weights of attention: projections of x to Q, K and V, and those of the additive score. Undefined if not
// used.
struct AttentionWeights {
    Tensor W_Q, W_K, W_V;  // (d_in, d_k), (d_in, d_k), (d_in, d_v)
    Tensor W_q, W_k, v;    // (d_k, d_a), (d_k, d_a), (d_a)

    void parameters(glassbox::Parameters& all);
};

// The operands of attention: Q, K and V, or a sequence x and its projection; with the additive score its
// weights. Only the shapes are valid while the input file has not been read (ModelInput::file).
struct AttentionOperands {
    Tensor x;        // undefined if Q, K and V are given
    Tensor Q, K, V;  // undefined if x is given
    Projection projection;
    std::optional<AdditiveWeights> additive;

    bool is_projected() const { return x.defined(); }
    Projected qkv() const;         // computed from x, or the given ones
    Projected qkv_shapes() const;  // tensors of the same shapes without values
};
// Weights are taken from `own` where defined, otherwise from the input.
AttentionOperands operands_of(const ModelInput& input, const AttentionWeights& own, Score score);

struct AttentionSizes {
    index_t queries = 3, keys = 3, d_k = 2, d_v = 2, d_a = 2;
    Shape leading;      // (), (batch,) or (batch, heads)
    double others = 0;  // number of elements of x and the weights

    Shape scores() const { return leading.with_appended(queries).with_appended(keys); }
};
// Partial for invalid shapes, which attention itself refuses.
AttentionSizes sizes_of(const AttentionOperands& operands);

// Throws UsageError if showing every step needs more than half of the machine's memory.
void check_memory(const AttentionSizes& sizes, Score score, bool with_gradients);

// Computes attention step by step, for an active Trace.
void attend(const AttentionOperands& operands, Score score, const Mask& mask, const AttentionConfig& config);

}  // namespace glassbox::tracer
