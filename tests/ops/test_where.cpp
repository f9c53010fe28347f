#include <glassbox/ops/ops.h>

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("where by hand, with broadcasting and plain numbers") {
    const Tensor condition = Tensor({2, 1}, {1, 0}, device), a = Tensor{1, 2, 3}.to(device);
    check_close(where(condition, a, -a), {{1, 2, 3}, {-1, -2, -3}}, exact, "where");
    check_close(where(condition, a, 7), {{1, 2, 3}, {7, 7, 7}}, exact, "a number for 0");
    check_close(where(condition, 7, a), {{7, 7, 7}, {1, 2, 3}}, exact, "a number for what is not 0");
    check_close(where(Tensor{-2, NaN, 0}.to(device), a, -a), {1, 2, -3}, exact, "anything but 0 is true");
}

DEVICE_TEST("where: elements not taken have no effect, taken ones keep every bit") {
    const Tensor condition = Tensor{1, 0, 1, 0}.to(device), bad = Tensor{5, NaN, 6, infinity}.to(device),
                 other = Tensor{NaN, 1, infinity, 2}.to(device);
    check_close(where(condition, bad, other), {5, 1, 6, 2}, exact, "numbers");
    check_close(where(condition, other, bad), {NaN, NaN, infinity, infinity}, exact.with_nan(), "the others");
    const Tensor zeros = Tensor{-0.0f, 0, 0, -0.0f}.to(device);
    const std::vector<real> kept = where(condition, zeros, zeros).values();
    CHECK(std::signbit(kept[0]));
    CHECK(!std::signbit(kept[1]));
    CHECK(!std::signbit(kept[2]));
    CHECK(std::signbit(kept[3]));
}

DEVICE_TEST("where: the gradient goes to the taken elements, and not to the condition") {
    const Tensor condition = Tensor{1, 0}.to(device), a = Tensor{1, NaN}.to(device),
                 b = Tensor(2.0).to(device);
    const std::vector<Tensor> gradients =
        tape_gradients([](const std::vector<Tensor>& in) { return where(in[0], in[1], in[2]); },
                       {condition, a, b}, Tensor{10, 20}.to(device));
    check_close(gradients[0], {0, 0}, exact, "of the condition");
    check_close(gradients[1], {10, 0}, exact, "of a");
    check_close(gradients[2], Tensor(20.0), exact, "of b");
}

DEVICE_TEST("where on random shapes: oracle, paths, gradients") {
    for_seeds(20, [&](Random& random) {
        const Shape shape = random.shape(0, 4, 3, false);
        OpCheck check;
        check.without_gradient = {0};
        check_op(
            device, random, "where" + shape.str(),
            [](const std::vector<Tensor>& in) { return where(in[0], in[1], in[2]); },
            {random.zeros_and_ones(random.broadcastable(shape)), random.normal(random.broadcastable(shape)),
             random.normal(shape)},
            check);
    });
}

TEST_CASE("where refuses shapes that do not broadcast, and two devices") {
    devices();
    const Tensor a = Tensor::zeros({2, 3}), b = Tensor::zeros({2, 4});
    check_error([&] { return where(a, a, b); },
                "where: shapes do not broadcast, axis -1 has 3 and 4: (2, 3) and (2, 4)");
    check_error([&] { return where(b, a, a); },
                "where: shapes do not broadcast, axis -1 has 4 and 3: (2, 4) and (2, 3)");
    check_error([&] { return where(a.to(Device::oracle), a, a); },
                "where: operands on two devices: oracle and cpu");
    check_error([&] { return where(a, a, Tensor()); }, "where: an operand is undefined");
}
