#include <glassbox/layers/scaled_dot_product.h>

#include <cmath>
#include <limits>

#include <glassbox/conventions/convention.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"
#include "support/paths.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const Function attended = [](const std::vector<Tensor>& x) {
    return scaled_dot_product(x[0], x[1], x[2]).values;
};

Tensor zeros(const Shape& shape) { return Tensor::zeros(shape); }

}  // namespace

DEVICE_TEST("the JAX tutorial's worked example") {
    const Tensor Q =
        Tensor{{-0.6613315f, 0.70056266f}, {0.08239268f, -1.7793142f}, {-0.04378588f, 1.0965251f}};
    const Tensor K = Tensor{{1.7257481f, 0.35568172f}, {1.3034704f, 1.2873708f}, {1.6871481f, -0.5714404f}};
    const Tensor V =
        Tensor{{1.5129997f, 1.1050899f}, {0.27949408f, -0.46224892f}, {-1.1003422f, -1.1437942f}};
    const AttentionResult result = scaled_dot_product(Q.to(device), K.to(device), V.to(device));
    check_close(result.values,
                {{0.376226f, -0.14656176f}, {-0.42778552f, -0.5989564f}, {0.4362476f, -0.11678296f}},
                printed_8_digits, "values");
    check_close(result.attention,
                {{0.27963293f, 0.54049295f, 0.17987415f},
                 {0.22194655f, 0.06706189f, 0.71099156f},
                 {0.27977085f, 0.58373076f, 0.13649833f}},
                printed_8_digits, "attention");
}

DEVICE_TEST("the PyTorch tutorial's worked example") {
    const Tensor Q = {{.3367f, .1288f}, {.2345f, .2303f}, {-1.1229f, -.1863f}};
    const Tensor K = {{2.2082f, -.6380f}, {.4617f, .2674f}, {.5349f, .8094f}};
    const Tensor V = {{1.1103f, -1.6898f}, {-.9890f, .9580f}, {1.3221f, .8172f}};
    const AttentionResult result = scaled_dot_product(Q.to(device), K.to(device), V.to(device));
    // Its inputs are also printed with 4 digits: two digits of the results may be off by one.
    const Tolerance tolerance{2e-4, 0};
    check_close(result.values, {{.5698f, -.1520f}, {.5379f, -.0265f}, {.2246f, .5556f}}, tolerance, "values");
    check_close(result.attention,
                {{.4028f, .2886f, .3086f}, {.3538f, .3069f, .3393f}, {.1303f, .4630f, .4067f}}, tolerance,
                "attention");
}

DEVICE_TEST("the steps by hand, in reading order") {
    // q·k = 2 ln 3 · 2 and 0 over √4: the weights are 9/10 and 1/10.
    const real a = static_cast<real>(2 * std::log(3.0));
    const Tensor Q = Tensor({1, 4}, {2, 0, 0, 0}).to(device);
    const Tensor K = Tensor{{a, 0, 0, 0}, {0, 5, 5, 5}}.to(device);
    const Tensor V = Tensor({2, 1}, {10, 20}).to(device);
    Trace trace;
    scaled_dot_product(Q, K, V);
    CHECK(paths(trace) == std::vector<std::string>{"Q", "K", "V", "logits", "scaled", "attention", "values"});
    check_close(trace["logits"], Tensor({1, 2}, {2 * a, 0}), rounding, "logits");
    check_close(trace["scaled"], Tensor({1, 2}, {a, 0}), rounding, "scaled");
    check_close(trace["attention"], Tensor({1, 2}, {real(0.9), real(0.1)}), rounding, "attention");
    check_close(trace["values"], Tensor({1, 1}, {11}), rounding, "values");

    Trace masked;
    scaled_dot_product(Q, K, V, Mask::causal());
    CHECK(paths(masked) ==
          std::vector<std::string>{"Q", "K", "V", "logits", "scaled", "masked", "attention", "values"});
    check_close(masked["masked"], Tensor({1, 2}, {a, real(-9e15)}), rounding, "masked");
    check_close(masked["values"], Tensor({1, 1}, {10}), exact, "values with a mask");
}

DEVICE_TEST("any leading axes, n_q ≠ n_k, d_v ≠ d_k: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Shape leading = random.shape(0, 3, 2);
        const index_t n_q = random.whole(0, 4), n_k = random.whole(1, 4), d_k = random.whole(1, 4),
                      d_v = random.whole(0, 3);
        const Tensor Q = random.normal(leading.with_appended(n_q).with_appended(d_k));
        const Tensor K = random.normal(leading.with_appended(n_k).with_appended(d_k));
        const Tensor V = random.normal(leading.with_appended(n_k).with_appended(d_v));
        OpCheck check;
        check.forward = chain;
        check_op(device, random, "scaled_dot_product" + Q.shape().str() + K.shape().str() + V.shape().str(),
                 attended, {Q, K, V}, check);
    });
}

DEVICE_TEST("8 axes, one position, no keys") {
    Random random(1);
    const Shape wide{1, 2, 1, 2, 1, 2, 3, 2};
    OpCheck check;
    check.forward = chain;
    check_op(device, random, "8 axes", attended,
             {random.normal(wide), random.normal(wide), random.normal(wide)}, check);
    const Tensor one = Tensor({1, 1}, {3}, device);
    check_close(scaled_dot_product(one, one, one).values, Tensor({1, 1}, {3}), exact, "one position");
    const Tensor none = Tensor::zeros({0, 2}, device), two = Tensor::ones({2, 2}, device);
    check_close(scaled_dot_product(two, none, none).values, Tensor::zeros({2, 2}), exact,
                "no keys: an empty sum");
    CHECK(scaled_dot_product(none, two, two).values.shape() == Shape{0, 2});
    CHECK(scaled_dot_product(two, none, none).attention.shape() == Shape{2, 0});
}

DEVICE_TEST("rows of attention sum to 1 and hidden keys have weight exactly 0") {
    for_seeds(10, [&](Random& random) {
        const Tensor Q = random.normal({2, 5, 3}).to(device), K = random.normal({2, 5, 3}).to(device);
        const Mask mask = Mask::causal() & Mask::lengths({5, 2});
        for (double fill : {-9e15, -1e14, -static_cast<double>(infinity)}) {
            const Tensor attention = scaled_dot_product(Q, K, K, mask, {fill}).attention;
            check_close(sum(attention, -1), Tensor::ones({2, 5}), rounding, "row sums");
            check_close(attention, masked_fill(attention, mask.visible({2, 5, 5}, device), 0), exact,
                        "hidden keys");
        }
    });
}

DEVICE_TEST("a fully hidden row: uniform with a finite fill, NaN with −∞") {
    const Tensor Q = Tensor{{1, 2}, {3, 4}}.to(device), V = Tensor{{1, 0}, {5, 2}}.to(device);
    const Mask mask = Mask::given({{0, 0}, {1, 0}});
    for (const Convention& convention : conventions()) {
        const AttentionResult result = scaled_dot_product(Q, Q, V, mask, {convention.mask_fill});
        const bool finite = std::isfinite(convention.mask_fill);
        const Tensor first = finite ? Tensor{0.5f, 0.5f} : Tensor{NaN, NaN};
        check_close(slice(result.attention, 0, 0, 1), reshape(first, {1, 2}), exact.with_nan(),
                    convention.name);
        check_close(slice(result.attention, 0, 1, 2), Tensor({1, 2}, {1, 0}), exact, convention.name);
        check_close(slice(result.values, 0, 0, 1),
                    finite ? Tensor({1, 2}, {3, 1}) : Tensor({1, 2}, {NaN, NaN}), exact.with_nan(),
                    convention.name);
        check_close(slice(result.values, 0, 1, 2), Tensor({1, 2}, {1, 0}), exact, convention.name);
    }
}

DEVICE_TEST("the derivative by hand matches the tape's and finite differences") {
    for_seeds(20, [&](Random& random) {
        const bool batch = random.whole(0, 1) == 1;
        const Shape leading = batch ? Shape{2, 2} : Shape{};
        const auto normal = [&](index_t n, index_t d) {
            return random.normal(leading.with_appended(n).with_appended(d)).to(device);
        };
        const Tensor Q = normal(3, 2), K = normal(4, 2), V = normal(4, 3), dvalues = normal(3, 3);
        Mask mask;
        if (random.whole(0, 1)) mask = mask & Mask::causal();
        if (batch && random.whole(0, 1)) mask = mask & Mask::lengths({3, 4});
        if (random.whole(0, 1)) mask = mask & Mask::given(random.zeros_and_ones({3, 4}));
        Tape tape;
        const AttentionResult result = scaled_dot_product(Q, K, V, mask);
        tape.backward(result.values, dvalues);
        const AttentionGradients by_hand =
            scaled_dot_product_gradients(Q, K, V, result.attention, dvalues, mask);
        check_close(by_hand.Q, tape.gradient(Q), chain, "∂/∂Q");
        check_close(by_hand.K, tape.gradient(K), chain, "∂/∂K");
        check_close(by_hand.V, tape.gradient(V), chain, "∂/∂V");
        const Function f = [&](const std::vector<Tensor>& x) {
            return scaled_dot_product(x[0], x[1], x[2], mask).values;
        };
        check_tape_gradients(f, {Q, K, V}, dvalues, "scaled_dot_product");
    });
}

DEVICE_TEST("NaN and infinity propagate to the rows they belong to, and no others") {
    const Tensor K = Tensor{{1, 0}, {0, 1}}.to(device), V = Tensor{{1, 2}, {3, 4}}.to(device);
    const Tensor Q = Tensor{{NaN, 1}, {1, 1}, {infinity, 1}}.to(device);
    const AttentionResult result = scaled_dot_product(Q, K, V);
    check_close(result.values, {{NaN, NaN}, {2, 3}, {NaN, NaN}}, exact.with_nan(), "a bad query");
    const Tensor bad_V = Tensor{{1, NaN}, {3, 4}}.to(device);
    check_close(scaled_dot_product(K * 0, K, bad_V).values, {{2, NaN}, {2, NaN}}, exact.with_nan(),
                "a bad value");
    const Tensor bad_K = Tensor{{NaN, 0}, {0, 1}}.to(device);
    check_close(scaled_dot_product(K, bad_K, V).values, {{NaN, NaN}, {NaN, NaN}}, exact.with_nan(),
                "a bad key");
    // A mask hides a bad key's score, not a bad value: 0 · NaN is NaN.
    const Mask second_only = Mask::given({{0, 1}, {0, 1}});
    check_close(scaled_dot_product(K, bad_K, V, second_only).values, {{3, 4}, {3, 4}}, exact,
                "a hidden bad key");
}

TEST_CASE("mismatched shapes are refused by name, with all shapes") {
    devices();
    const auto attend_shapes = [](const Shape& q, const Shape& k, const Shape& v) {
        return [=] { scaled_dot_product(zeros(q), zeros(k), zeros(v)); };
    };
    check_error(attend_shapes({3, 2}, {3, 4}, {3, 2}),
                "scaled_dot_product: Q and K differ in d_k, their last size: (3, 2) and (3, 4)");
    check_error(attend_shapes({3, 2}, {3, 2}, {4, 2}),
                "scaled_dot_product: K and V differ in the number of keys: (3, 2) and (4, 2)");
    check_error(attend_shapes({2}, {3, 2}, {3, 2}),
                "scaled_dot_product: Q, K and V need at least 2 axes: (2,), (3, 2), (3, 2)");
    check_error(attend_shapes({2, 3, 2}, {3, 2}, {3, 2}),
                "scaled_dot_product: Q, K and V need the same leading axes: (2, 3, 2), (3, 2), (3, 2)");
    check_error(attend_shapes({2, 3, 2}, {2, 3, 2}, {1, 3, 2}),
                "scaled_dot_product: Q, K and V need the same leading axes: (2, 3, 2), (2, 3, 2), (1, 3, 2)");
    check_error(attend_shapes({3, 0}, {3, 0}, {3, 2}),
                "scaled_dot_product: d_k must be at least 1, K has shape (3, 0)");
    check_error(
        [] {
            scaled_dot_product(zeros({3, 2}), zeros({3, 2}), Tensor());
        },
        "scaled_dot_product: an operand is undefined");
    check_error(
        [] {
            scaled_dot_product(zeros({3, 2}), zeros({3, 2}), zeros({3, 2}).to(Device::oracle));
        },
        "scaled_dot_product: operands on two devices: cpu and oracle");
    check_error(
        [] {
            attend(zeros({3, 2}), zeros({3, 4}), zeros({3, 2}));
        },
        "attend: Q and K differ in d_k, their last size: (3, 2) and (3, 4)");
}

TEST_CASE("conventions name their fills; an unknown one is a usage error that lists them") {
    CHECK(convention("uva-jax").mask_fill == -9e15);
    CHECK(convention("uva-torch").mask_fill == -9e15);
    CHECK(convention("report").mask_fill == -1e14);
    CHECK(convention("paper").mask_fill == -std::numeric_limits<double>::infinity());
    check_error<UsageError>([] { return convention("papers"); },
                            "convention: no convention 'papers'; there are " +
                                fmt::format("{}", fmt::join(convention_names(), ", ")));
}

TEST_CASE("a value used as Q, K and V has a gradient for each role, which add up to its own") {
    const Tensor x{{0.5f, -1.0f}, {2.0f, 0.25f}, {-0.5f, 1.5f}};
    Trace trace;
    Tape tape;
    const Tensor w{{1, 2}, {-1, 3}, {0.5f, -2}};
    tape.backward(sum(scaled_dot_product(x, x, x).values * w));
    const Tensor dQ = tape.gradient(trace["Q"]), dK = tape.gradient(trace["K"]),
                 dV = tape.gradient(trace["V"]);
    const AttentionGradients by_hand = scaled_dot_product_gradients(x, x, x, trace["attention"], w);
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 2; ++j) {
            CHECK(dQ.at({i, j}) == Approx(by_hand.Q.at({i, j})).margin(1e-6));
            CHECK(dK.at({i, j}) == Approx(by_hand.K.at({i, j})).margin(1e-6));
            CHECK(dV.at({i, j}) == Approx(by_hand.V.at({i, j})).margin(1e-6));
            CHECK(tape.gradient(x).at({i, j}) ==
                  Approx(dQ.at({i, j}) + dK.at({i, j}) + dV.at({i, j})).margin(1e-6));
        }
}
