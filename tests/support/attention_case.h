#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

#include "support/compare.h"
#include "support/random.h"

namespace glassbox_test {

// Inputs and results of Backend::attention and its backward kernel.
struct AttentionSizes {
    glassbox::Shape leading;
    glassbox::index_t n_q, n_k, d_k, d_v;
};

struct AttentionInputs {
    glassbox::Tensor Q, K, V, dO;       // dO: ∂loss/∂values
    glassbox::Tensor lengths, visible;  // undefined without one
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

// Result buffers filled with NaN.
AttentionResults attention_buffers(const AttentionInputs& in, glassbox::Device device);
// By a device's kernels, or these. Inputs on other devices are copied.
AttentionResults run_attention(glassbox::Device device, const AttentionInputs& in);
AttentionResults run_attention(glassbox::Backend& kernels, const AttentionInputs& in);

// Not L: a backend may save whatever its backward kernel needs per row.
void check_same(const AttentionResults& actual, const AttentionResults& expected, const Tolerance& forwards,
                const Tolerance& backwards);

}  // namespace glassbox_test
