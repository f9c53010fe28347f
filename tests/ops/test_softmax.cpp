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
const Function soft = [](const std::vector<Tensor>& x) { return softmax(x[0]); };
const Function log_soft = [](const std::vector<Tensor>& x) { return log_softmax(x[0]); };
}  // namespace

DEVICE_TEST("softmax and log-softmax by hand") {
    // exp: 1, 2, 5 of 8; all alike
    const real l2 = static_cast<real>(std::log(2.0)), l5 = static_cast<real>(std::log(5.0)),
               l8 = static_cast<real>(std::log(8.0));
    const Tensor x = Tensor{{0, l2, l5}, {7, 7, 7}}.to(device);
    const real third = real(1) / 3, l3 = static_cast<real>(std::log(3.0));
    check_close(softmax(x), {{0.125f, 0.25f, 0.625f}, {third, third, third}}, rounding, "softmax");
    check_close(log_softmax(x), {{-l8, l2 - l8, l5 - l8}, {-l3, -l3, -l3}}, rounding, "log softmax");
    check_close(softmax(Tensor({3, 1}, {5, -900, 0}, device)), Tensor({3, 1}, {1, 1, 1}), exact,
                "rows of one");
}

DEVICE_TEST("the gradient of softmax by hand") {
    // y = (1/4, 3/4), dy = (1, 0): y ∘ (dy − 1/4) = (3/16, −3/16)
    const Tensor x = Tensor{0, real(std::log(3.0))}.to(device), dy = Tensor{1, 0}.to(device);
    check_close(tape_gradients(soft, {x}, dy)[0], {0.1875f, -0.1875f}, rounding, "softmax′");
    check_close(tape_gradients(log_soft, {x}, dy)[0], {0.75f, -0.75f}, rounding, "log softmax′");
}

DEVICE_TEST("rows of softmax sum to 1, for numbers of any size") {
    for_seeds(20, [&](Random& random) {
        const Tensor x = random.uniform({5, random.whole(1, 70)}, -500, 500);
        check_close(sum(softmax(x.to(device)), -1), Tensor::ones({5}), rounding, "row sums");
    });
    check_close(softmax(Tensor{1e30f, 1e30f, -1e30f}.to(device)), {0.5f, 0.5f, 0}, exact, "huge numbers");
}

DEVICE_TEST("hidden keys: a finite fill gives weight 0, a fully hidden row is uniform, one of −∞ NaN") {
    for (real fill : {real(-9e15), real(-1e14)}) {
        check_close(softmax(Tensor{{1, fill, 1, fill}, {fill, fill, fill, fill}}.to(device)),
                    {{0.5f, 0, 0.5f, 0}, {0.25f, 0.25f, 0.25f, 0.25f}}, exact, "finite fill");
    }
    check_close(softmax(Tensor{{1, -infinity, 1}, {-infinity, -infinity, -infinity}}.to(device)),
                {{0.5f, 0, 0.5f}, {NaN, NaN, NaN}}, exact.with_nan(), "−∞");
    check_close(log_softmax(Tensor{{1, -infinity}, {-infinity, -infinity}}.to(device)),
                {{0, -infinity}, {NaN, NaN}}, exact.with_nan(), "log softmax of −∞");
}

DEVICE_TEST("a NaN or +∞ makes only its own row NaN, at any position") {
    for (index_t n : {1, 3, 16, 17, 40})
        for (index_t at = 0; at < n; ++at)
            for (real bad : {NaN, infinity}) {
                std::vector<real> values(static_cast<std::size_t>(2 * n), 0),
                    expected(values.size(), real(1) / static_cast<real>(n));
                values[static_cast<std::size_t>(n + at)] = bad;
                for (index_t j = n; j < 2 * n; ++j) expected[static_cast<std::size_t>(j)] = NaN;
                check_close(softmax(Tensor({2, n}, values, device)), Tensor({2, n}, expected),
                            rounding.with_nan(), "softmax");
            }
}

DEVICE_TEST("softmax and log-softmax on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Tensor x = random.normal(random.shape(1, 5, 4));
        check_op(device, random, "softmax" + x.shape().str(), soft, {x});
        check_op(device, random, "log_softmax" + x.shape().str(), log_soft, {x});
    });
}

DEVICE_TEST("softmax with long rows, many rows and 8 axes") {
    Random random(1);
    OpCheck long_sums;
    if (!in_double) long_sums.backward = {2e-4, 2e-4};  // of 1000 weights of size 1
    for (const Shape& shape :
         {Shape{3, 1000}, Shape{700, 100}, Shape{1, 2, 1, 2, 1, 2, 2, 3}, Shape{0, 3}, Shape{3, 0}}) {
        check_op(device, random, "softmax" + shape.str(), soft, {random.normal(shape)});
        check_op(device, random, "log_softmax" + shape.str(), log_soft, {random.normal(shape)}, long_sums);
    }
}

DEVICE_TEST("masked_fill by hand: 0 hides, anything else shows, the mask broadcasts") {
    const Tensor x = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    check_close(masked_fill(x, Tensor{{1, 0, 1}, {0, 1, 2}}.to(device), -9), {{1, -9, 3}, {-9, 5, 6}}, exact,
                "full");
    check_close(masked_fill(x, Tensor{1, 1, 0}.to(device), -infinity), {{1, 2, -infinity}, {4, 5, -infinity}},
                exact, "row");
    check_close(masked_fill(x, Tensor({2, 1}, {0, 1}, device), 0), {{0, 0, 0}, {4, 5, 6}}, exact, "column");
    check_close(masked_fill(Tensor{NaN, NaN}.to(device), Tensor{0, 1}.to(device), 1), {1, NaN},
                exact.with_nan(), "over NaN");
}

DEVICE_TEST("no gradient flows through what a mask hides, nor into the mask") {
    const Tensor x = Tensor{1, 2, 3}.to(device), mask = Tensor{1, 0, 1}.to(device);
    const std::vector<Tensor> gradients =
        tape_gradients([](const std::vector<Tensor>& in) { return masked_fill(in[0], in[1], -9e15); },
                       {x, mask}, Tensor{5, NaN, 7}.to(device));
    check_close(gradients[0], {5, 0, 7}, exact, "∂/∂x");
    check_close(gradients[1], {0, 0, 0}, exact, "∂/∂mask");
}

DEVICE_TEST("masked_fill on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Shape shape = random.shape(0, 5, 3);
        const Tensor mask = random.zeros_and_ones(random.broadcastable(shape));
        OpCheck check;
        check.without_gradient = {1};
        check_op(
            device, random, "masked_fill" + shape.str() + mask.shape().str(),
            [](const std::vector<Tensor>& in) { return masked_fill(in[0], in[1], -2); },
            {random.normal(shape), mask}, check);
    });
}

TEST_CASE("mismatched operands of softmax and masked_fill are refused with their shapes") {
    devices();
    check_error([] { return softmax(Tensor(real(1))); }, "softmax: needs at least 1 axis, got shape ()");
    check_error([] { return log_softmax(Tensor(real(1))); },
                "log_softmax: needs at least 1 axis, got shape ()");
    const Tensor x = Tensor::zeros({2, 3});
    check_error([&] { return masked_fill(x, Tensor::ones({2}), 0); },
                "masked_fill: mask of shape (2,) does not broadcast to (2, 3)");
    check_error(
        [&] {
            return masked_fill(x, Tensor::ones({4, 2, 3}), 0);
        },
        "masked_fill: mask of shape (4, 2, 3) does not broadcast to (2, 3)");
    check_error([&] { return masked_fill(x, Tensor(), 0); }, "masked_fill: an operand is undefined");
    check_error(
        [&] {
            return masked_fill(x, Tensor::ones({2, 3}, Device::oracle), 0);
        },
        "masked_fill: operands on two devices: cpu and oracle");
}
