#include <glassbox/ops/reduce.h>

#include <limits>

#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/views.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("sum and mean by hand, over all and over each axis") {
    const Tensor x = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    check_close(sum(x), Tensor(real(21)), exact, "sum");
    check_close(sum(x, 0), {5, 7, 9}, exact, "sum over axis 0");
    check_close(sum(x, -1), {6, 15}, exact, "sum over axis −1");
    check_close(sum(x, 1, true), Tensor({2, 1}, {6, 15}), exact, "sum over axis 1, kept");
    check_close(mean(x), Tensor(real(3.5)), exact, "mean");
    check_close(mean(x, 0), {2.5f, 3.5f, 4.5f}, exact, "mean over axis 0");
    check_close(mean(x, 1, true), Tensor({2, 1}, {2, 5}), exact, "mean over axis 1, kept");
    check_close(sum_to(x, {3}), {5, 7, 9}, exact, "sum_to");
    check_close(sum_to(x, {2, 1}), Tensor({2, 1}, {6, 15}), exact, "sum_to a column");
    check_close(sum_to(x, {}), Tensor(real(21)), exact, "sum_to a scalar");
}

DEVICE_TEST("of nothing, the sum is 0 and the mean is NaN") {
    const real NaN = std::numeric_limits<real>::quiet_NaN();
    const Tensor x = Tensor::zeros({2, 0}, device);
    check_close(sum(x), Tensor(real(0)), exact, "sum");
    check_close(sum(x, 1), {0, 0}, exact, "sum over the empty axis");
    CHECK(sum(x, 0).shape() == Shape{0});
    check_close(mean(x), Tensor(NaN), exact.with_nan(), "mean");
    check_close(mean(x, 1), {NaN, NaN}, exact.with_nan(), "mean over the empty axis");
}

DEVICE_TEST("sums carry NaN and infinities") {
    const real NaN = std::numeric_limits<real>::quiet_NaN(), infinity = std::numeric_limits<real>::infinity();
    const Tensor x = Tensor{{NaN, 1}, {infinity, 2}, {infinity, -infinity}}.to(device);
    check_close(sum(x, 1), {NaN, infinity, NaN}, exact.with_nan(), "sum");
}

DEVICE_TEST("sum and mean on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Tensor x = random.normal(random.shape(1, 5, 3, false));
        const int axis = static_cast<int>(random.whole(-x.rank(), x.rank() - 1));
        const bool keep = random.whole(0, 1) == 1;
        const std::string where = x.shape().str() + " axis " + std::to_string(axis);
        check_op(device, random, "sum" + where,
                 [&](const std::vector<Tensor>& in) { return sum(in[0], axis, keep); }, {x});
        check_op(device, random, "mean" + where,
                 [&](const std::vector<Tensor>& in) { return mean(in[0], axis, keep); }, {x});
        check_op(device, random, "sum of all" + where,
                 [&](const std::vector<Tensor>& in) { return sum(in[0]); }, {x});
        check_op(device, random, "mean of all" + where,
                 [&](const std::vector<Tensor>& in) { return mean(in[0]); }, {x});
    });
}

DEVICE_TEST("sums of scalars, empty tensors and 8 axes") {
    Random random(1);
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{3, 0}, Shape{2, 1, 2, 1, 2, 1, 2, 3}})
        check_op(device, random, "sum of " + shape.str(),
                 [](const std::vector<Tensor>& in) { return sum(in[0] * in[0]); }, {random.normal(shape)});
}

DEVICE_TEST("sum_to undoes broadcasting on random shapes: oracle, paths, gradients") {
    for_seeds(40, [&](Random& random) {
        const Shape shape = random.shape(0, 5, 3), target = random.broadcastable(shape);
        check_op(device, random, "sum_to" + shape.str() + target.str(),
                 [&](const std::vector<Tensor>& in) { return sum_to(in[0], target); },
                 {random.normal(shape)});
    });
}

TEST_CASE("bad axes and shapes of sums are refused") {
    const Tensor x = Tensor::zeros({2, 3});
    check_error([&] { sum(x, 2); }, "shape: (2, 3) has no axis 2");
    check_error([&] { mean(x, -3); }, "shape: (2, 3) has no axis -3");
    check_error([&] { sum(Tensor(real(1)), 0); }, "shape: () has no axis 0");
    check_error([&] { sum(Tensor()); }, "tensor: an undefined tensor was used");
    check_error([&] { sum_to(x, {2}); }, "sum_to: the result of shape (2,) does not broadcast to (2, 3)");
    check_error(
        [&] {
            sum_to(x, {1, 2, 3});
        },
        "sum_to: the result of shape (1, 2, 3) does not broadcast to (2, 3)");
}
