#include <glassbox/layers/score_functions.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"
#include "support/paths.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("the unscaled score does not divide by √d_k") {
    const real l = static_cast<real>(std::log(3.0));
    const Tensor Q = Tensor({1, 4}, {1, 0, 0, 0}).to(device),
                 K = Tensor{{l, 0, 0, 0}, {0, 1, 0, 0}}.to(device);
    Trace trace;
    const AttentionResult result = dot_product(Q, K, Tensor({2, 1}, {0, 4}).to(device));
    check_close(result.attention, Tensor({1, 2}, {0.75f, 0.25f}), rounding, "attention");
    check_close(result.values, Tensor({1, 1}, {1}), rounding, "values");
    CHECK(trace.contains("logits"));
    CHECK_FALSE(trace.contains("scaled"));
}

DEVICE_TEST("the additive score by hand") {
    // W_q = W_k = 1, v = 2: the score is 2 tanh(q + k).
    const Tensor Q = Tensor({1, 1}, {0.5f}).to(device), K = Tensor({2, 1}, {-0.5f, 0}).to(device);
    const Tensor one = Tensor({1, 1}, {1}).to(device);
    Trace trace;
    additive_attention(Q, K, K, {one, one, Tensor{2}.to(device)});
    check_close(trace["logits"], Tensor({1, 2}, {0, real(2 * std::tanh(0.5))}), rounding, "logits");
    CHECK(trace["hidden"].shape() == Shape{1, 2, 1});
    CHECK(paths(trace) == std::vector<std::string>{"Q", "K", "V", "W_q", "W_k", "v", "query_part", "key_part",
                                                   "hidden", "logits", "attention", "values"});
}

DEVICE_TEST("unscaled and additive attention on random shapes and masks: oracle, paths, gradients") {
    for_seeds(25, [&](Random& random) {
        const Shape leading = random.shape(0, 2, 2, false);
        const index_t n_q = random.whole(1, 3), n_k = random.whole(1, 3), d_k = random.whole(1, 3),
                      d_q = random.whole(1, 3), d_v = random.whole(1, 2), d_a = random.whole(1, 3);
        const auto normal = [&](index_t n, index_t d) {
            return random.normal(leading.with_appended(n).with_appended(d));
        };
        const Mask mask = random.whole(0, 1) ? Mask::causal() : Mask::none();
        OpCheck check;
        check.forward = chain;
        check_op(
            device, random, "dot_product",
            [&](const std::vector<Tensor>& x) { return dot_product(x[0], x[1], x[2], mask).values; },
            {normal(n_q, d_k), normal(n_k, d_k), normal(n_k, d_v)}, check);
        check_op(
            device, random, "additive_attention",
            [&](const std::vector<Tensor>& x) {
                return additive_attention(x[0], x[1], x[2], {x[3], x[4], x[5]}, mask).values;
            },
            {normal(n_q, d_q), normal(n_k, d_k), normal(n_k, d_v), random.normal({d_q, d_a}),
             random.normal({d_k, d_a}), random.normal({d_a})},
            check);
    });
}

TEST_CASE("mismatched weights are refused with the required shape") {
    const auto with_weights = [](const Shape& W_q, const Shape& W_k, const Shape& v) {
        return [=] {
            const Tensor Q = Tensor::zeros({3, 2}), K = Tensor::zeros({4, 5});
            additive_attention(Q, K, K, {Tensor::zeros(W_q), Tensor::zeros(W_k), Tensor::zeros(v)});
        };
    };
    check_error(with_weights({3, 6}, {5, 6}, {6}),
                "additive_attention: W_q must be (2, d_a) for Q of shape (3, 2), got (3, 6)");
    check_error(with_weights({2, 6}, {5, 7}, {6}),
                "additive_attention: W_k must be (5, 6) for K of shape (4, 5), got (5, 7)");
    check_error(with_weights({2, 6}, {5, 6}, {7}), "additive_attention: v must be (6,), got (7,)");
    check_error(with_weights({2, 6}, {5, 6}, {6, 1}), "additive_attention: v must be (6,), got (6, 1)");
    check_error(
        [] {
            dot_product(Tensor::zeros({3, 2}), Tensor::zeros({3, 4}), Tensor::zeros({3, 2}));
        },
        "dot_product: Q and K differ in d_k, their last size: (3, 2) and (3, 4)");
}

TEST_CASE("scores are selected by name") {
    for (Score score : {Score::scaled, Score::unscaled, Score::additive})
        CHECK(parse<Score>(name(score)) == score);
    check_error<UsageError>([] { return parse<Score>("scale"); },
                            "score: no score 'scale'; there are scaled, unscaled, additive");
}
