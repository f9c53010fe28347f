#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

#include "support/random.h"
#include "support/tolerance.h"

namespace glassbox_test {

// All that Backend::attention and its way back are given, and what they find.
struct AttentionSizes {
    glassbox::Shape leading;
    glassbox::index_t n_q, n_k, d_k, d_v;
};

struct AttentionInputs {
    glassbox::Tensor Q, K, V, dO;       // dO: ∂loss/∂values
    glassbox::Tensor lengths, visible;  // undefined when there is no such mask
    bool causal = false;
    glassbox::real scale = 1, fill = 0;

    glassbox::AttentionParams params() const;
    AttentionInputs on(glassbox::Device device) const;
};

struct AttentionResults {
    glassbox::Tensor O, L, dQ, dK, dV;
};

AttentionInputs attention_inputs(Random& random, const AttentionSizes& sizes);
void add_random_masks(Random& random, AttentionInputs& in);

// Room for the results, full of NaN.
AttentionResults attention_room(const AttentionInputs& in, glassbox::Device device);
// By a device's kernels, or these. Inputs that lie elsewhere are copied there.
AttentionResults run_attention(glassbox::Device device, const AttentionInputs& in);
AttentionResults run_attention(glassbox::Backend& kernels, const AttentionInputs& in);

// Not L: a backend may keep of a row what its own way back likes best.
void check_same(const AttentionResults& actual, const AttentionResults& expected, const Tolerance& forwards,
                const Tolerance& backwards);

}  // namespace glassbox_test
