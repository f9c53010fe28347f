#include <glassbox/ops/ops.h>

#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {
const Function product = [](const std::vector<Tensor>& x) { return matmul(x[0], x[1]); };
}

DEVICE_TEST("matmul by hand") {
    const Tensor a = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    const Tensor b = Tensor{{1, 0}, {0, 1}, {2, -1}}.to(device);
    check_close(matmul(a, b), {{7, -1}, {16, -1}}, exact, "a b");
    check_close(matmul(transpose(b), transpose(a)), {{7, 16}, {-1, -1}}, exact, "bᵀ aᵀ = (a b)ᵀ");
    check_close(matmul(a, transpose(a)), {{14, 32}, {32, 77}}, exact, "a aᵀ");
}

DEVICE_TEST("the gradients of matmul by hand") {
    const Tensor a = Tensor{{1, 2}, {3, 4}}.to(device), b = Tensor{{5, 6}, {7, 8}}.to(device);
    const std::vector<Tensor> gradients = tape_gradients(product, {a, b}, Tensor::ones({2, 2}, device));
    check_close(gradients[0], {{11, 15}, {11, 15}}, exact, "∂/∂a: row sums of b");
    check_close(gradients[1], {{4, 4}, {6, 6}}, exact, "∂/∂b: column sums of a");
}

DEVICE_TEST("matmul on random shapes with broadcast leading axes: oracle, paths, gradients") {
    for_seeds(80, [&](Random& random) {
        const Shape batch = random.shape(0, 3, 3);
        const auto leading = [&] { return random.whole(0, 1) ? batch : random.broadcastable(batch); };
        const index_t m = random.whole(1, 4), n = random.whole(1, 4),
                      k = random.whole(0, 9) ? random.whole(1, 4) : 0;
        const Tensor a = random.normal(leading().with_appended(m).with_appended(k));
        const Tensor b = random.normal(leading().with_appended(k).with_appended(n));
        check_op(device, random, "matmul" + a.shape().str() + b.shape().str(), product, {a, b});
    });
}

DEVICE_TEST("matmul with 8 axes, no rows, no columns, no inner size") {
    Random random(1);
    const std::vector<std::pair<Shape, Shape>> shapes = {{{1, 2, 1, 2, 1, 2, 2, 3}, {2, 1, 2, 1, 2, 1, 3, 2}},
                                                         {{0, 3}, {3, 2}},
                                                         {{2, 3}, {3, 0}},
                                                         {{2, 0}, {0, 3}},
                                                         {{2, 0, 3, 4}, {4, 2}},
                                                         {{1, 1}, {1, 1}}};
    for (const auto& [a, b] : shapes)
        check_op(device, random, "matmul" + a.str() + b.str(), product, {random.normal(a), random.normal(b)});
}

DEVICE_TEST("large products, split over threads, match the oracle") {
    if (device == Device::oracle) return;
    Random random(2);
    const std::vector<std::pair<Shape, Shape>> shapes = {{{300, 200}, {200, 190}},
                                                         {{40, 64, 64}, {40, 64, 64}},
                                                         {{32, 70, 64}, {64, 96}},
                                                         {{3, 2, 90, 100}, {2, 100, 80}}};
    const Tolerance long_sums = in_double ? rounding : Tolerance{2e-5, 2e-5};  // 200 terms of size 1
    for (const auto& [p, q] : shapes) {
        const Tensor a = random.normal(p), b = random.normal(q);
        const Tensor expected = matmul(a.to(Device::oracle), b.to(Device::oracle));
        check_close(matmul(a.to(device), b.to(device)), expected, long_sums, "matmul" + p.str() + q.str());
        check_close(matmul(random.scattered(a, device), random.scattered(b, device)), expected, long_sums,
                    "scattered matmul" + p.str() + q.str());
    }
}

DEVICE_TEST("matmul propagates NaN and infinities to the sums they belong to, and no others") {
    const Tensor a = Tensor{{NaN, 1}, {2, 3}, {infinity, 1}}.to(device);
    const Tensor b = Tensor{{0, 1}, {1, 1}}.to(device);
    check_close(matmul(a, b), {{NaN, NaN}, {3, 5}, {NaN, infinity}}, exact.with_nan(), "a b");
}

TEST_CASE("mismatched operands of matmul are refused with both shapes") {
    devices();
    const auto zeros = [](const Shape& shape) { return Tensor::zeros(shape); };
    check_error(
        [&] {
            return matmul(zeros({3, 2}), zeros({3, 4}));
        },
        "matmul: inner sizes differ: (3, 2) × (3, 4)");
    check_error(
        [&] {
            return matmul(zeros({3}), zeros({3, 4}));
        },
        "matmul: needs at least 2 axes, got (3,) × (3, 4)");
    check_error(
        [&] {
            return matmul(zeros({3, 4}), zeros({4}));
        },
        "matmul: needs at least 2 axes, got (3, 4) × (4,)");
    check_error(
        [&] {
            return matmul(zeros({2, 3, 4}), zeros({5, 4, 2}));
        },
        "matmul: shapes do not broadcast, axis -1 has 2 and 5: (2,) and (5,)");
    check_error([&] { return matmul(zeros({3, 4}), Tensor()); }, "matmul: an operand is undefined");
    check_error(
        [&] {
            return matmul(zeros({3, 4}), zeros({4, 2}).to(Device::oracle));
        },
        "matmul: operands on two devices: cpu and oracle");
}
