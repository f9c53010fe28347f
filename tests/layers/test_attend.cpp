// Fused attention, which never stores the n_q × n_k matrix, gives the same values and gradients as the steps,
// for every shape and mask.
#include <cmath>
#include <limits>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Mask random_mask(Random& random, const Shape& scores) {
    Mask mask;
    const index_t n_q = scores[-2], n_k = scores[-1], batch = scores[0];
    if (random.whole(0, 2) == 0) mask = mask & Mask::causal();
    if (scores.rank() > 2 && random.whole(0, 2) == 0) {
        std::vector<index_t> lengths;
        for (index_t b = 0; b < batch; ++b) lengths.push_back(random.whole(0, n_k));
        if (!lengths.empty()) mask = mask & Mask::lengths(lengths);
    }
    switch (random.whole(0, 5)) {
        case 0:
            return mask & Mask::given(random.zeros_and_ones({n_q, n_k}));
        case 1:
            return scores.rank() > 2 ? mask & Mask::given(random.zeros_and_ones({batch, n_q, n_k})) : mask;
        case 2:
            return scores.rank() == 4 ? mask & Mask::given(random.zeros_and_ones(scores)) : mask;
        case 3:
            return mask & Mask::given(random.zeros_and_ones({1, n_k}));
        default:
            return mask;
    }
}

struct Passed {
    Tensor values;
    std::vector<Tensor> gradients;
};

template <class F>
Passed pass(F f, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& dvalues) {
    Tape tape;
    const Tensor values = f(Q, K, V);
    tape.backward(values, dvalues);
    return {values, {tape.gradient(Q), tape.gradient(K), tape.gradient(V)}};
}

void compare(Random& random, Device device, const Shape& leading, index_t n_q, index_t n_k, index_t d_k,
             index_t d_v, const Mask& mask, double fill, const Tolerance& tolerance) {
    const auto normal = [&](index_t n, index_t d) {
        return random.normal(leading.with_appended(n).with_appended(d));
    };
    const Tensor Q = random.scattered(normal(n_q, d_k), device),
                 K = random.scattered(normal(n_k, d_k), device),
                 V = random.scattered(normal(n_k, d_v), device), dvalues = normal(n_q, d_v).to(device);
    const AttentionConfig config{fill};
    const Passed steps =
        pass([&](auto& q, auto& k, auto& v) { return scaled_dot_product(q, k, v, mask, config).values; }, Q,
             K, V, dvalues);
    const Passed fused_pass =
        pass([&](auto& q, auto& k, auto& v) { return attend(q, k, v, mask, config); }, Q, K, V, dvalues);
    const std::string what = "attend" + Q.shape().str() + K.shape().str() + V.shape().str() +
                             (mask ? " masked" : "") + (std::isinf(fill) ? " with −∞" : "");
    check_close(fused_pass.values, steps.values, tolerance, what);
    const char* names[] = {": ∂/∂Q", ": ∂/∂K", ": ∂/∂V"};
    for (std::size_t i = 0; i < 3; ++i)
        check_close(fused_pass.gradients[i], steps.gradients[i], tolerance, what + names[i]);
}

}  // namespace

DEVICE_TEST("attend matches the steps' values and gradients on random shapes, masks and fills") {
    for_seeds(150, [&](Random& random) {
        const Shape leading = random.shape(0, 2, 3);
        const index_t n_q = random.whole(1, 9), n_k = random.whole(1, 9), d_k = random.whole(1, 5),
                      d_v = random.whole(1, 5);
        const Mask mask = random_mask(random, leading.with_appended(n_q).with_appended(n_k));
        for (double fill : {-9e15, -1e14})
            compare(random, device, leading, n_q, n_k, d_k, d_v, mask, fill, fused);
    });
}

DEVICE_TEST("attend matches the steps' values and gradients with −∞, NaN rows included") {
    for_seeds(60, [&](Random& random) {
        const Shape leading = random.shape(0, 2, 3, false);
        const index_t n_q = random.whole(1, 9), n_k = random.whole(1, 9);
        const Mask mask = random_mask(random, leading.with_appended(n_q).with_appended(n_k));
        compare(random, device, leading, n_q, n_k, 3, 2, mask, -std::numeric_limits<double>::infinity(),
                fused.with_nan());
    });
}

DEVICE_TEST("attend matches the steps' values and gradients across tiles and threads") {
    Random random(1);
    // Gradients are sums of some hundred products of size 1.
    const Tolerance longer = in_double ? fused : Tolerance{3e-5, 3e-5};
    for (const auto& [leading, n_q, n_k, d] : {std::tuple{Shape{2, 2}, 130, 130, 16},
                                               {Shape{}, 300, 520, 8},
                                               {Shape{3}, 1, 700, 64},
                                               {Shape{1}, 257, 1, 4},
                                               {Shape{2}, 128, 512, 3}}) {
        for (bool causal : {false, true}) {
            if (device == Device::oracle && n_q * n_k > 20000) continue;  // the oracle is slow
            compare(random, device, leading, n_q, n_k, d, d, causal ? Mask::causal() : Mask::none(), -9e15,
                    longer);
        }
        if (leading.rank() > 0 && device != Device::oracle) {
            std::vector<index_t> lengths;
            for (index_t b = 0; b < leading[0]; ++b) lengths.push_back(random.whole(0, n_k));
            const Mask mask = Mask::lengths(lengths) & Mask::given(random.zeros_and_ones({n_q, n_k}));
            compare(random, device, leading, n_q, n_k, d, d, mask, -1e14, longer);
        }
    }
}

DEVICE_TEST("attend without keys, without queries, with values of width 0, with 8 axes") {
    Random random(2);
    compare(random, device, {2}, 3, 0, 2, 2, {}, -9e15, fused);
    compare(random, device, {2}, 0, 3, 2, 2, {}, -9e15, fused);
    compare(random, device, {2}, 3, 3, 2, 0, {}, -9e15, fused);
    compare(random, device, {0, 2}, 3, 3, 2, 2, {}, -9e15, fused);
    compare(random, device, {1, 2, 1, 2, 1, 2}, 3, 2, 2, 2, Mask::causal(), -9e15, fused);
}

DEVICE_TEST("attend's values and gradients match the oracle, and its gradients finite differences") {
    for_seeds(20, [&](Random& random) {
        const index_t n_q = random.whole(1, 4), n_k = random.whole(1, 4);
        const Mask mask = random_mask(random, Shape{2, n_q, n_k});
        OpCheck check;
        check.forward = check.traced = fused;
        check_op(
            device, random, "attend",
            [&](const std::vector<Tensor>& x) { return attend(x[0], x[1], x[2], mask); },
            {random.normal({2, n_q, 2}), random.normal({2, n_k, 2}), random.normal({2, n_k, 2})}, check);
    });
}

DEVICE_TEST("attend propagates NaN and infinity like the steps") {
    const Tensor K = Tensor{{1, 0}, {0, 1}}.to(device), V = Tensor{{1, 2}, {3, 4}}.to(device);
    for (real bad : {NaN, infinity, -infinity}) {
        const Tensor bad_Q = Tensor{{bad, 1}, {1, 1}}.to(device), bad_K = Tensor{{1, bad}, {0, 1}}.to(device),
                     bad_V = Tensor{{1, bad}, {3, 4}}.to(device);
        check_close(attend(bad_Q, K, V), scaled_dot_product(bad_Q, K, V).values, fused.with_nan(),
                    "a bad query");
        check_close(attend(K, bad_K, V), scaled_dot_product(K, bad_K, V).values, fused.with_nan(),
                    "a bad key");
        check_close(attend(K, K, bad_V), scaled_dot_product(K, K, bad_V).values, fused.with_nan(),
                    "a bad value");
        const Mask mask = Mask::given({{0, 1}, {0, 1}});
        check_close(attend(K, bad_K, V, mask), scaled_dot_product(K, bad_K, V, mask).values, fused.with_nan(),
                    "a hidden bad key");
    }
}

DEVICE_TEST("attend goes step by step under a trace, and names the steps") {
    const Tensor Q = Tensor{{1, 2}, {3, 4}}.to(device);
    Trace trace;
    const Tensor values = attend(Q, Q, Q);
    CHECK(trace.contains("attention"));
    CHECK(values.id() == trace["values"].id());
}

TEST_CASE("values of adjacent heads are adjacent too: concatenating them copies nothing") {
    Random random(9);
    for (const index_t heads : {1, 3})
        for (const index_t n : {1, 5}) {
            const Tensor x = random.normal({2, n, heads, 4});
            const Tensor Q = permute(x, {0, 2, 1, 3});  // (2, heads, n, 4)
            const Tensor values = attend(Q, Q, Q);
            const Tensor joined = reshape(permute(values, {0, 2, 1, 3}), {2, n, heads * 4});
            CHECK(joined.shares_storage_with(values));
            check_close(values, scaled_dot_product(Q, Q, Q).values, fused, "values");
        }
}
