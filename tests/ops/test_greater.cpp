#include <cmath>

#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("a > b is 1 where it holds and 0 elsewhere, at infinities and NaN too, and broadcasts") {
    const Tensor a = Tensor{1, 2, 3, infinity, -infinity, infinity, NaN, 0}.to(device);
    const Tensor b = Tensor{2, 2, 2, 1, 1, infinity, 0, NaN}.to(device);
    check_close(a > b, {0, 0, 1, 1, 0, 0, 0, 0}, exact, "a > b");
    check_close(a < b, {1, 0, 0, 0, 1, 0, 0, 0}, exact, "a < b");
    check_close(a > 2, {0, 0, 1, 1, 0, 1, 0, 0}, exact, "a > 2");
    check_close(a < 2, {1, 0, 0, 0, 1, 0, 0, 1}, exact, "a < 2");
    const Tensor column = Tensor{{1}, {3}}.to(device), row = Tensor{0, 2, 4}.to(device);
    check_close(column > row, {{1, 0, 0}, {1, 1, 0}}, exact, "broadcast");
    check_error([&] { (void)(row > b); },
                "greater: shapes do not broadcast, axis -1 has 3 and 8: (3,) and (8,)");
}

DEVICE_TEST("a comparison has no gradient, and where() takes it as its condition") {
    const Tensor x = Tensor{-1, 2}.to(device);
    Tape tape;
    tape.backward(sum(where(x > 0, x * 3, x * 5)) + sum((x > 0) * 2));
    check_close(tape.gradient(x), {5, 3}, exact, "of the branch that was taken");
}
