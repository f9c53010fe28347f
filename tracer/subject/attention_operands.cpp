#include "subject/attention_operands.h"

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/memory.h"
#include "subject/model_input.h"

namespace glassbox::tracer {

void AttentionWeights::parameters(glassbox::Parameters& all) {
    all("W_Q", W_Q);
    all("W_K", W_K);
    all("W_V", W_V);
    all("W_q", W_q);
    all("W_k", W_k);
    all("v", v);
}

AttentionOperands operands_of(const ModelInput& input, const AttentionWeights& own, Score score) {
    const auto weight = [&](const Tensor& mine, const char* name) {
        return mine.defined() || !input.has(name) ? mine : input[name];
    };
    AttentionOperands operands;
    if (input.has("x")) {
        operands.x = input["x"];
        operands.projection = {weight(own.W_Q, "W_Q"), weight(own.W_K, "W_K"), weight(own.W_V, "W_V")};
    } else {
        operands.Q = input["Q"], operands.K = input["K"], operands.V = input["V"];
    }
    if (score == Score::additive)
        operands.additive = {weight(own.W_q, "W_q"), weight(own.W_k, "W_k"), weight(own.v, "v")};
    return operands;
}

Projected AttentionOperands::qkv() const {
    return is_projected() ? project(x, projection) : Projected{Q, K, V};
}

Projected AttentionOperands::qkv_shapes() const {
    const auto product = [&](const Tensor& W) { return shape_tensor(matmul_shape(x, W)); };
    return is_projected()
               ? Projected{product(projection.W_Q), product(projection.W_K), product(projection.W_V)}
               : Projected{Q, K, V};
}

AttentionSizes sizes_of(const AttentionOperands& operands) {
    AttentionSizes s;
    const auto [Q, K, V] = operands.qkv_shapes();
    if (Q.rank() < 2 || K.rank() < 2 || V.rank() < 1) return s;
    s.queries = Q.size(-2);
    s.keys = K.size(-2);
    s.d_k = K.size(-1);
    s.d_v = V.size(-1);
    if (operands.additive && operands.additive->v.rank() > 0) s.d_a = operands.additive->v.size(-1);
    s.leading = Q.shape().leading(Q.rank() - 2);
    const Projection& W = operands.projection;
    for (const Tensor* other : {&operands.x, &W.W_Q, &W.W_K, &W.W_V})
        if (other->defined()) s.others += static_cast<double>(other->numel());
    return s;
}

void check_memory(const AttentionSizes& sizes, Score score, bool with_gradients) {
    const auto d = [](index_t n) { return static_cast<double>(n); };
    double batch = 1;
    for (index_t size : sizes.leading) batch *= d(size);
    const double pairs = d(sizes.queries) * d(sizes.keys) * (score == Score::additive ? d(sizes.d_a) : 1);
    const double numbers =
        batch * (4 * pairs + 2 * d(sizes.queries) * d(sizes.d_k) + 2 * d(sizes.keys) * d(sizes.d_k) +
                 2 * d(sizes.keys) * d(sizes.d_v) + d(sizes.queries) * d(sizes.d_v));
    const double bytes = (numbers + sizes.others) * sizeof(real) * (with_gradients ? 3 : 1);
    const double have = machine_memory();
    if (bytes > have / 2)
        fail<UsageError>(
            "attention: {} queries, {} keys, d_k {}, d_v {}{} need {:.3g} GB to show every step; "
            "the limit is half of this machine's {:.3g} GB",
            sizes.queries, sizes.keys, sizes.d_k, sizes.d_v,
            sizes.leading.rank() ? fmt::format(" in a batch of {}", sizes.leading) : "", bytes / 1e9,
            have / 1e9);
}

void attend(const AttentionOperands& operands, Score score, const Mask& mask, const AttentionConfig& config) {
    const auto [Q, K, V] = operands.qkv();
    switch (score) {
        case Score::scaled:
            scaled_dot_product(Q, K, V, mask, config);
            return;
        case Score::unscaled:
            dot_product(Q, K, V, mask, config);
            return;
        case Score::additive:
            additive_attention(Q, K, V, *operands.additive, mask, config);
            return;
    }
}

}  // namespace glassbox::tracer
