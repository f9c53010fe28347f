// Fused attention against its definition in double, one number at a time: scale, fill and every mask.
#include <glassbox/ops/ops.h>

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Q (heads, n_q, d_k), K, V on the cpu; `hides` says where query i of a head does not see key j.
template <class Hides>
Tensor by_definition(const Tensor& Q, const Tensor& K, const Tensor& V, double scale, double fill,
                     Hides hides) {
    std::vector<real> out;
    for (index_t h = 0; h < Q.size(0); ++h)
        for (index_t i = 0; i < Q.size(1); ++i) {
            std::vector<double> weights;
            double largest = -std::numeric_limits<double>::infinity(), total = 0;
            for (index_t j = 0; j < K.size(1); ++j) {
                double score = 0;
                for (index_t c = 0; c < Q.size(2); ++c)
                    score += static_cast<double>(Q.at({h, i, c})) * static_cast<double>(K.at({h, j, c}));
                weights.push_back(hides(h, i, j) ? fill : scale * score);
                largest = std::max(largest, weights.back());
            }
            for (double& weight : weights) total += weight = std::exp(weight - largest);
            for (index_t c = 0; c < V.size(2); ++c) {
                double sum = 0;
                for (index_t j = 0; j < K.size(1); ++j)
                    sum +=
                        weights[static_cast<std::size_t>(j)] / total * static_cast<double>(V.at({h, j, c}));
                out.push_back(static_cast<real>(sum));
            }
        }
    return Tensor({Q.size(0), Q.size(1), V.size(2)}, out);
}

}  // namespace

DEVICE_TEST("fused attention by its definition: each mask alone, and all of them") {
    for_seeds(5, [&](Random& random) {
        const index_t heads = 3, n_q = random.whole(1, 5), n_k = random.whole(1, 6);
        const Tensor Q = random.normal({heads, n_q, 4}), K = random.normal({heads, n_k, 4}),
                     V = random.normal({heads, n_k, 2}), visible = random.zeros_and_ones({heads, n_q, n_k}),
                     shared = random.zeros_and_ones({n_q, n_k});
        const Tensor lengths({heads}, {1, static_cast<real>(n_k), static_cast<real>((n_k + 1) / 2)});
        const auto check = [&](const char* what, const AttentionOptions& options, auto hides) {
            AttentionOptions there = options;
            for (Tensor* mask : {&there.lengths, &there.visible})
                if (mask->defined()) *mask = mask->to(device);
            check_close(fused_attention(Q.to(device), K.to(device), V.to(device), there),
                        by_definition(Q, K, V, options.scale, options.fill, hides), fused, what);
        };
        const auto causal = [](index_t, index_t i, index_t j) { return j > i; };
        const auto behind = [&](index_t h, index_t, index_t j) {
            return static_cast<real>(j) >= lengths.at({h});
        };
        const auto masked = [&](index_t h, index_t i, index_t j) { return visible.at({h, i, j}) == 0; };
        check("none", {}, [](index_t, index_t, index_t) { return false; });
        check("scaled", {.scale = 0.25}, [](index_t, index_t, index_t) { return false; });
        check("causal", {.scale = 0.5, .fill = -2, .causal = true}, causal);
        check("lengths", {.fill = 1, .lengths = lengths}, behind);
        check("one length", {.fill = -1, .lengths = Tensor{1}},
              [](index_t, index_t, index_t j) { return j >= 1; });
        check("visible", {.fill = -3, .visible = visible}, masked);
        check("shared", {.fill = -3, .visible = shared}, [&](index_t, index_t i, index_t j) {
            return shared.at({i, j}) == 0;
        });
        check("all", {.scale = 2, .fill = -1.5, .causal = true, .lengths = lengths, .visible = visible},
              [&](index_t h, index_t i, index_t j) {
                  return causal(h, i, j) || behind(h, i, j) || masked(h, i, j);
              });
    });
}

DEVICE_TEST("fused attention on random shapes: oracle, paths, gradients") {
    for_seeds(10, [&](Random& random) {
        const Shape leading = random.shape(0, 2, 2, false);
        const auto normal = [&](index_t n, index_t d) {
            return random.normal(leading.with_appended(n).with_appended(d));
        };
        const index_t n_q = random.whole(1, 4), n_k = random.whole(1, 4), d_k = random.whole(1, 3);
        AttentionOptions options;
        options.scale = 0.5, options.fill = -2, options.causal = random.whole(0, 1) == 1;
        OpCheck check;
        check.forward = fused, check.backward = chain;
        check_op(
            device, random, "attention",
            [&](const std::vector<Tensor>& in) { return fused_attention(in[0], in[1], in[2], options); },
            {normal(n_q, d_k), normal(n_k, d_k), normal(n_k, random.whole(1, 3))}, check);
    });
}

TEST_CASE("values lie in memory as the queries do: by head, or by position so that heads can be joined") {
    Random random(1);
    const Tensor by_position = random.normal({2, 5, 3, 4});  // (batch, n, heads, d)
    const Tensor heads = permute(by_position, {0, 2, 1, 3}), dense = contiguous(heads);
    const AttentionOptions options{.scale = 0.5};
    const Tensor a = fused_attention(heads, heads, heads, options),
                 b = fused_attention(dense, dense, dense, options);
    check_close(a, b, fused, "values");
    CHECK(b.contiguous());
    CHECK_FALSE(a.contiguous());
    CHECK(permute(a, {0, 2, 1, 3}).contiguous());
    const Tensor one = random.normal({5, 4});
    CHECK(fused_attention(one, one, one, options).contiguous());
    const Tensor three = permute(random.normal({5, 3, 4}), {1, 0, 2});
    CHECK(permute(fused_attention(three, three, three, options), {1, 0, 2}).contiguous());
}

TEST_CASE("operands of fused attention that do not fit are refused, with all shapes") {
    const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
    const auto refused = [&](const Shape& q, const Shape& k, const Shape& v, const std::string& message,
                             const AttentionOptions& options = {}) {
        check_error([&] { fused_attention(zeros(q), zeros(k), zeros(v), options); }, "attention: " + message);
    };
    refused({4}, {3, 4}, {3, 2}, "Q, K and V need at least 2 axes: (4,), (3, 4), (3, 2)");
    refused({2, 4}, {4}, {3, 2}, "Q, K and V need at least 2 axes: (2, 4), (4,), (3, 2)");
    refused({2, 4}, {3, 4}, {3}, "Q, K and V need at least 2 axes: (2, 4), (3, 4), (3,)");
    refused({2, 4}, {3, 5}, {3, 2}, "Q and K differ in d_k, their last size: (2, 4) and (3, 5)");
    refused({2, 0}, {3, 0}, {3, 2}, "d_k must be at least 1, K has shape (3, 0)");
    refused({2, 4}, {3, 4}, {4, 2}, "K and V differ in the number of keys: (3, 4) and (4, 2)");
    refused({2, 2, 4}, {3, 3, 4}, {3, 3, 2},
            "Q, K and V need the same leading axes: (2, 2, 4), (3, 3, 4), (3, 3, 2)");
    refused({3, 2, 4}, {3, 3, 4}, {2, 3, 2},
            "Q, K and V need the same leading axes: (3, 2, 4), (3, 3, 4), (2, 3, 2)");
    refused({3, 2, 4}, {3, 3, 4}, {3, 3, 2}, "lengths of shape (2,) does not broadcast to (3,)",
            {.lengths = Tensor::ones({2})});
    refused({3, 2, 4}, {3, 3, 4}, {3, 3, 2}, "mask of shape (2, 2) does not broadcast to (3, 2, 3)",
            {.visible = Tensor::ones({2, 2})});
    CHECK(fused_attention(zeros({2, 1}), zeros({3, 1}), zeros({3, 2}), {}).shape() == Shape{2, 2});
}
