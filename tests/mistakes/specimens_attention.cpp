#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include <limits>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

struct QKV {
    Tensor Q, K, V;
};

QKV operands(const Shape& front, index_t n_q, index_t n_k, index_t d_k, index_t d_v, std::uint64_t seed = 1) {
    const auto stream = make_stream(Rng::numpy, seed);
    const auto matrices = [&](index_t n, index_t d) {
        return stream->normal(front.with_appended(n).with_appended(d));
    };
    const Tensor Q = matrices(n_q, d_k), K = matrices(n_k, d_k), V = matrices(n_k, d_v);
    return {Q, K, V};
}

Specimen attention(const char* name, const QKV& on, const Mask& mask = {},
                   const AttentionConfig& config = {}) {
    return {name, {[=] { (void)scaled_dot_product(on.Q, on.K, on.V, mask, config); }, "values"}};
}

std::vector<Specimen> of_dot_products() {
    const QKV large = [] {
        const QKV small = operands({2}, 3, 5, 4, 6, 5);
        return QKV{small.Q * 30, small.K * 30, small.V};
    }();
    const QKV plain = operands({}, 3, 7, 5, 4, 2);
    // Its second query sees no key.
    const Mask blind = Mask::given({{1, 1, 0, 1, 0}, {0, 0, 0, 0, 0}, {1, 0, 1, 1, 1}});
    const QKV given = operands({2, 3}, 3, 5, 7, 4, 6);
    return {
        attention("attention, causal", operands({2, 3}, 4, 6, 6, 5), Mask::causal()),
        attention("attention, all sizes differ", plain),
        attention("attention, square", operands({2}, 5, 5, 5, 5, 3)),
        attention("attention, square, causal", operands({2, 3}, 5, 5, 4, 6, 13), Mask::causal()),
        attention("attention, as many heads as sequences", operands({2, 2}, 5, 5, 3, 4, 4),
                  Mask::lengths({5, 3})),
        attention("attention, square, causal and lengths", operands({3, 2}, 5, 5, 4, 6, 13),
                  Mask::causal() & Mask::lengths({3, 5, 2})),
        attention("attention, a window", operands({3}, 6, 6, 4, 5, 7), Mask::window(1)),
        attention("attention, large scores", large),
        attention("attention, a query without keys", given, blind),
        attention("attention, a query without keys, −∞", given, blind,
                  {-std::numeric_limits<double>::infinity()}),
        {"dot product", {[=] { (void)dot_product(plain.Q, plain.K, plain.V); }, "values"}},
    };
}

// Weights and biases of all features differ.
MultiHeadAttention multi_head(const MultiHeadConfig& config, std::uint64_t seed) {
    MultiHeadAttention layer(config);
    const auto stream = make_stream(Rng::numpy, seed);
    for (Linear* each : {&layer.qkv_proj, &layer.o_proj}) {
        each->weight = stream->normal(each->weight.shape()) * 0.6;
        if (config.bias) each->bias = stream->normal(each->bias.shape());
    }
    return layer;
}

Tensor sequence(const Shape& shape, std::uint64_t seed) {
    return make_stream(Rng::numpy, seed)->normal(shape);
}

Specimen self_attention(const char* name, const MultiHeadConfig& config, const Shape& shape,
                        const Mask& mask = {}) {
    const MultiHeadAttention layer = multi_head(config, 21);
    const Tensor x = sequence(shape, 22);
    return {name, {[=] { (void)layer(x, mask); }, "output"}};
}

Specimen cross_attention(const char* name, const MultiHeadConfig& config, const Shape& of_x,
                         const Shape& of_memory, const Mask& mask = {}) {
    const MultiHeadAttention layer = multi_head(config, 23);
    const Tensor x = sequence(of_x, 24), memory = sequence(of_memory, 25);
    return {name, {[=] { (void)layer(x, memory, mask); }, "output"}};
}

// The first positions fill the cache; the specimen are the two behind them.
Specimen with_cache(const char* name, const Mask& mask) {
    const MultiHeadAttention layer = multi_head({.d_model = 6, .heads = 3}, 26);
    const Tensor past = sequence({2, 4, 6}, 27), x = sequence({2, 2, 6}, 28);
    return {name,
            {[=] {
                 KeyValueCache cache;
                 {
                     const Scope scope("past");
                     (void)layer(past, mask, &cache);
                 }
                 const Scope scope("now");
                 (void)layer(x, mask, &cache);
             },
             "now/output"}};
}

std::vector<Specimen> of_heads() {
    const MultiHeadConfig stacked{.d_model = 6, .heads = 3, .bias = false, .qkv_layout = QkvLayout::stacked};
    const MultiHeadConfig wide{.d_model = 6, .heads = 2, .d_in = 5, .qkv_layout = QkvLayout::stacked};
    return {
        self_attention("heads", {.d_model = 8, .heads = 2}, {5, 8}),
        self_attention("heads, causal", {.d_model = 6, .heads = 3}, {2, 4, 6}, Mask::causal()),
        self_attention("heads, as many as positions", {.d_model = 6, .heads = 3}, {2, 3, 6}),
        self_attention("heads, stacked", stacked, {2, 5, 6}, Mask::lengths({5, 2})),
        self_attention("heads, another width", wide, {3, 4, 5}),
        cross_attention("heads, memory", {.d_model = 8, .heads = 2}, {3, 8}, {5, 8}),
        cross_attention("heads, memory as long", {.d_model = 6, .heads = 3}, {2, 4, 6}, {2, 4, 6},
                        Mask::lengths({4, 3})),
        cross_attention("heads, memory, stacked", wide, {2, 3, 5}, {2, 3, 5}),
        with_cache("heads, cache", {}),
        with_cache("heads, cache, causal", Mask::causal()),
    };
}

}  // namespace

std::vector<Specimen> of_attention() {
    std::vector<Specimen> all;
    for (auto* group : {of_dot_products, of_heads, of_masks, of_inputs})
        for (Specimen& each : group()) all.push_back(std::move(each));
    return all;
}

}  // namespace specimens
