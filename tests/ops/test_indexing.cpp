// x[i], and a loop over x: select() in C++ syntax.
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("x[i] is entry i of the first axis, from the end where negative, with gradients") {
    const Tensor x = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device);
    Tape tape;
    check_close(x[0], {1, 2, 3}, exact, "first");
    check_close(x[-1], {4, 5, 6}, exact, "last");
    check_close(x[1][2], Tensor(6), exact, "one element");
    tape.backward(sum(x[0] * x[-1]));
    check_close(tape.gradient(x), {{4, 5, 6}, {1, 2, 3}}, exact, "each row the other");
}

DEVICE_TEST("a loop over a tensor iterates over its first axis, in order, and is recorded") {
    const Tensor x = Tensor{{1, 2}, {3, 4}, {5, 6}}.to(device);
    Tape tape;
    Tensor total = Tensor::zeros({2}, device);
    for (const Tensor& row : x) total = total * 2 + row;
    check_close(total, {4 + 6 + 5, 8 + 8 + 6}, exact, "4 x₀ + 2 x₁ + x₂");
    tape.backward(sum(total));
    check_close(tape.gradient(x), {{4, 4}, {2, 2}, {1, 1}}, exact, "4, 2, 1");
    for (const Tensor& none : Tensor::zeros({0, 2}, device)) FAIL("an entry of none: " << none);
}

TEST_CASE("a missing entry is refused with the shape") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    check_error([&] { (void)x[2]; }, "[]: entry 2 of shape (2, 3): the first axis has 2");
    check_error([&] { (void)x[-3]; }, "[]: entry -3 of shape (2, 3): the first axis has 2");
    check_error([&] { (void)Tensor(1)[0]; }, "[]: a scalar has no axis to take entry 0 of");
    check_error(
        [&] {
            for (const Tensor& each : Tensor(1)) (void)each;
        },
        "shape: () has no axis 0");
}
