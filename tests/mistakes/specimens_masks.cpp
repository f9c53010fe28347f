#include <glassbox/layers/mask.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/online_softmax.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/models/predictor.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include <limits>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

Specimen mask(const char* name, const Mask& mask, const Shape& scores) {
    return {name, {[=] { (void)mask.visible_by_steps(scores); }, "visible"}};
}

// A sequence projected, and attention of what comes out.
Specimen projected(const char* name, index_t d, index_t d_k, index_t d_v) {
    const auto stream = make_stream(Rng::numpy, 31);
    const Tensor x = stream->normal({2, 4, d}) * 0.7;
    const Tensor W_Q = stream->normal({d, d_k}), W_K = stream->normal({d, d_k}),
                 W_V = stream->normal({d, d_v});
    return {name,
            {[=] {
                 const Projected on = project(x, {W_Q, W_K, W_V});
                 (void)scaled_dot_product(on.Q, on.K, on.V);
             },
             "values"}};
}

struct AdditiveSizes {
    index_t n_q, n_k, d_q, d_k, d_v, d_a;
};

Specimen additive(const char* name, const AdditiveSizes& n, const Mask& mask = {}) {
    const auto stream = make_stream(Rng::numpy, 32);
    const Tensor Q = stream->normal({2, n.n_q, n.d_q}), K = stream->normal({2, n.n_k, n.d_k}),
                 V = stream->normal({2, n.n_k, n.d_v});
    const AdditiveWeights weights{stream->normal({n.d_q, n.d_a}), stream->normal({n.d_k, n.d_a}),
                                  stream->normal({n.d_a})};
    return {name, {[=] { (void)additive_attention(Q, K, V, weights, mask); }, "values"}};
}

// Of 3 blocks of 3: the first one, the first two, the last, and the middle one.
Tensor with_hidden_blocks(const Tensor& scores) {
    Tensor hidden({4, 8}, {1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0,
                           0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0});
    return where(hidden, -std::numeric_limits<double>::infinity(), scores);
}

Specimen online(const char* name, const Tensor& x, index_t size, const char* result) {
    return {name, {[=] { (void)online_softmax(x, size); }, result}};
}

}  // namespace

std::vector<Specimen> of_masks() {
    const Tensor scores = make_stream(Rng::numpy, 33)->normal({2, 3, 8}) * 2;
    const Tensor hidden = with_hidden_blocks(make_stream(Rng::numpy, 34)->normal({4, 8}));
    const Tensor square({4, 4}, {1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1});
    const Tensor given({3, 4}, {1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1});
    return {
        mask("mask, causal", Mask::causal(), {3, 6}),
        mask("mask, causal, square", Mask::causal(), {5, 5}),
        mask("mask, lengths", Mask::lengths({4, 2}), {2, 3, 5, 5}),
        mask("mask, causal and lengths", Mask::causal() & Mask::lengths({4, 6, 2}), {3, 2, 6, 6}),
        mask("mask, window", Mask::window(2), {7, 8}),
        mask("mask, given, square", Mask::given(square), {4, 4}),
        mask("mask, given and causal", Mask::given(given) & Mask::causal(), {3, 4}),
        mask("mask, window and lengths", Mask::window(3) & Mask::lengths({5, 7}), {2, 7, 7}),
        projected("projection", 5, 3, 4),
        projected("projection, square", 4, 4, 4),
        additive("additive", {3, 5, 4, 6, 7, 2}),
        additive("additive, square, causal", {4, 4, 3, 3, 3, 3}, Mask::causal()),
        online("online softmax", scores, 3, "softmax"),
        online("online softmax, large scores", scores * 600, 3, "softmax"),
        online("online softmax, the sums", scores, 3, "merged/s"),
        online("online softmax, the maxima", scores, 3, "merged/m"),
        online("online softmax, each block's maximum", scores, 3, "block/m"),
        online("online softmax, each block's sum", scores, 3, "block/s"),
        online("online softmax, each block's sum, large scores", scores * 600, 3, "block/s"),
        online("online softmax, hidden blocks", hidden, 3, "softmax"),
        online("online softmax, hidden blocks, the sums", hidden, 3, "merged/s"),
        online("online softmax, hidden blocks, the maxima", hidden, 3, "merged/m"),
        {"softmax", {[=] { (void)named(steps::predictor::softmax, softmax(scores)); }, "softmax"}},
    };
}

}  // namespace specimens
