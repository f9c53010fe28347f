#include <glassbox/ops/ops.h>

#include <limits>

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
    const Tensor x = Tensor::zeros({2, 0}, device);
    check_close(sum(x), Tensor(real(0)), exact, "sum");
    check_close(sum(x, 1), {0, 0}, exact, "sum over the empty axis");
    CHECK(sum(x, 0).shape() == Shape{0});
    check_close(mean(x), Tensor(NaN), exact.with_nan(), "mean");
    check_close(mean(x, 1), {NaN, NaN}, exact.with_nan(), "mean over the empty axis");
}

DEVICE_TEST("sums propagate NaN and infinities") {
    const Tensor x = Tensor{{NaN, 1}, {infinity, 2}, {infinity, -infinity}}.to(device);
    check_close(sum(x, 1), {NaN, infinity, NaN}, exact.with_nan(), "sum");
}

DEVICE_TEST("sums over any axis keep the digits of numbers among large ones that cancel") {
    const Tensor rows = Tensor{{1e8f, 1e8f, 1, 1, -1e8f, -1e8f, 0, 0}, {3, 1e8f, 0, 2, 0, -1e8f, 0, 1}};
    const Tensor x = contiguous(transpose(rows)).to(device);  // (8, 2)
    check_close(sum(x, 0), {2, 6}, exact, "over rows");
    check_close(sum(rows.to(device), 1), {2, 6}, exact, "over columns");
    check_close(sum_to(x, {2}), {2, 6}, exact, "sum_to");
    check_close(sum(x), Tensor(real(8)), exact, "over all");
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

DEVICE_TEST("variances by hand: NumPy's, and PyTorch's with the correction 1") {
    const Tensor x = Tensor{{1, 2, 6}, {4, 4, 4}}.to(device);
    check_close(var(x, 1), {real(14.0 / 3), 0}, rounding, "along rows");
    check_close(var(x, 1, true, 1), Tensor({2, 1}, {7, 0}), rounding, "corrected, kept");
    check_close(var(x, 0), {real(2.25), 1, 1}, rounding, "along columns");
    check_close(var(Tensor{1, 2, 6}.to(device)), Tensor(14.0 / 3), rounding, "of all");
    check_close(var(Tensor{5}.to(device), 0, false, 1), Tensor(double(NaN)), exact.with_nan(), "0 / 0");
    check_close(var(Tensor({2, 0}, {}, device), 1), {NaN, NaN}, exact.with_nan(), "of nothing");
}

DEVICE_TEST("variances on random shapes: oracle, paths, gradients") {
    for_seeds(20, [&](Random& random) {
        const Tensor x = random.normal(random.shape(1, 4, 4, false));
        const int axis = static_cast<int>(random.whole(-x.rank(), x.rank() - 1));
        const bool keep = random.whole(0, 1) == 1;
        const index_t correction = x.size(axis) > 1 ? random.whole(0, 1) : 0;
        check_op(device, random, "var" + x.shape().str() + " axis " + std::to_string(axis),
                 [&](const std::vector<Tensor>& in) { return var(in[0], axis, keep, correction); }, {x});
    });
}

DEVICE_TEST("min by hand: NaN is the smallest, too, and ties share the gradient") {
    const Tensor x = Tensor{{2, 1, 1}, {3, 9, -infinity}}.to(device);
    check_close(min(x, 1), {1, -infinity}, exact, "min");
    check_close(min(x, 0, true), Tensor({1, 3}, {2, 1, -infinity}), exact, "min, kept");
    check_close(min(Tensor{1, NaN}.to(device), 0), Tensor(double(NaN)), exact.with_nan(), "min of NaN");
    const Tensor y = Tensor{{2, 1, 1}, {3, 9, 4}}.to(device);
    const auto smallest = [](const std::vector<Tensor>& in) { return min(in[0], 1); };
    check_close(tape_gradients(smallest, {y}, Tensor{8, 5}.to(device))[0], {{0, 4, 4}, {5, 0, 0}}, exact,
                "∂/∂x");
    check_tape_gradients(smallest, {Tensor{{1, 3, 2}, {9, 5, 7}}.to(device)}, Tensor{1, 2}.to(device), "min");
}

DEVICE_TEST("min on random shapes: oracle, paths, gradients") {
    for_seeds(15, [&](Random& random) {
        const Tensor x = random.normal(random.shape(1, 5, 3, false));
        const int axis = static_cast<int>(random.whole(-x.rank(), x.rank() - 1));
        OpCheck check;
        check.finite_differences = false;  // near ties make a kink
        check_op(
            device, random, "min" + x.shape().str(),
            [&](const std::vector<Tensor>& in) { return min(in[0], axis); }, {x}, check);
    });
}

DEVICE_TEST("max and argmax by hand, along each axis") {
    const Tensor x = Tensor{{1, 5, 3}, {4, 2, 6}}.to(device);
    check_close(max(x, 0), {4, 5, 6}, exact, "max over axis 0");
    check_close(max(x, -1, true), Tensor({2, 1}, {5, 6}), exact, "max over axis −1, kept");
    CHECK(argmax(x, 0) == std::vector<index_t>{1, 0, 1});
    CHECK(argmax(x, 1) == std::vector<index_t>{1, 2});
}

DEVICE_TEST("ties for the largest share the gradient; argmax gives the first") {
    const Tensor x = Tensor{{2, 7, 7}, {3, 1, 2}}.to(device);
    const auto largest = [](const std::vector<Tensor>& in) { return max(in[0], 1); };
    check_close(tape_gradients(largest, {x}, Tensor{8, 5}.to(device))[0], {{0, 4, 4}, {5, 0, 0}}, exact,
                "∂/∂x");
    CHECK(argmax(x, 1) == std::vector<index_t>{1, 0});
    CHECK(argmax(Tensor{-1, -1, -1}.to(device), 0) == std::vector<index_t>{0});
}

DEVICE_TEST(
    "the gradient of a row with NaN is NaN for max and min, as torch.amax has it, and infinities share") {
    const Tensor x =
        Tensor{{2, NaN, 7}, {infinity, 1, infinity}, {-infinity, -infinity, -infinity}}.to(device);
    const Tensor dy = Tensor{8, 6, 3}.to(device);
    check_close(tape_gradients([](const std::vector<Tensor>& in) { return max(in[0], 1); }, {x}, dy)[0],
                {{NaN, NaN, NaN}, {3, 0, 3}, {1, 1, 1}}, exact.with_nan(), "∂ max / ∂x");
    check_close(tape_gradients([](const std::vector<Tensor>& in) { return min(in[0], 1); }, {x}, dy)[0],
                {{NaN, NaN, NaN}, {0, 6, 0}, {1, 1, 1}}, exact.with_nan(), "∂ min / ∂x");
}

DEVICE_TEST("max on random shapes: oracle, paths, gradients") {
    for_seeds(30, [&](Random& random) {
        const Tensor x = random.normal(random.shape(1, 5, 3, false));
        const int axis = static_cast<int>(random.whole(-x.rank(), x.rank() - 1));
        const bool keep = random.whole(0, 1) == 1;
        OpCheck check;
        check.finite_differences = false;  // near ties make a kink
        check_op(
            device, random, "max" + x.shape().str() + " axis " + std::to_string(axis),
            [&](const std::vector<Tensor>& in) { return max(in[0], axis, keep); }, {x}, check);
    });
}

DEVICE_TEST("the gradient of max agrees with finite differences where one is clearly largest") {
    const Tensor x = Tensor{{1, 3, 2}, {9, 5, 7}}.to(device);
    check_tape_gradients([](const std::vector<Tensor>& in) { return max(in[0], 0); }, {x},
                         Tensor{1, 2, 3}.to(device), "max");
}

DEVICE_TEST("NaN is the largest for max and argmax") {
    const Tensor x = Tensor{{1, NaN, infinity}, {NaN, 2, NaN}, {-infinity, -infinity, -infinity}}.to(device);
    check_close(max(x, 1), {NaN, NaN, -infinity}, exact.with_nan(), "max");
    CHECK(argmax(x, 1) == std::vector<index_t>{1, 0, 0});
}

TEST_CASE("max and argmax of nothing are refused, of no rows they are empty") {
    check_error(
        [] {
            return max(Tensor::zeros({2, 0}), 1);
        },
        "max: no elements along axis 1 of shape (2, 0)");
    check_error(
        [] {
            return min(Tensor::zeros({2, 0}), 1);
        },
        "min: no elements along axis 1 of shape (2, 0)");
    check_error(
        [] {
            return argmax(Tensor::zeros({2, 0}), -1);
        },
        "argmax: no elements along axis -1 of shape (2, 0)");
    check_error([] { return max(Tensor::zeros({2, 3}), 2); }, "shape: (2, 3) has no axis 2");
    CHECK(max(Tensor::zeros({0, 3}), 1).shape() == Shape{0});
    CHECK(argmax(Tensor::zeros({0, 3}), 1).empty());
}

TEST_CASE("invalid axes and shapes of sums are refused") {
    const Tensor x = Tensor::zeros({2, 3});
    check_error([&] { return sum(x, 2); }, "shape: (2, 3) has no axis 2");
    check_error([&] { return mean(x, -3); }, "shape: (2, 3) has no axis -3");
    check_error([&] { return sum(Tensor(real(1)), 0); }, "shape: () has no axis 0");
    check_error([&] { return sum(Tensor()); },
                "tensor: an undefined tensor was used: one declared but never given a value");
    check_error([&] { return sum_to(x, {2}); },
                "sum_to: the result of shape (2,) does not broadcast to (2, 3)");
    check_error(
        [&] {
            return sum_to(x, {1, 2, 3});
        },
        "sum_to: the result of shape (1, 2, 3) does not broadcast to (2, 3)");
}
