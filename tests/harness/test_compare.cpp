// Other tests rely on the comparator, finite differences and the random helpers: each is shown to fail.
#include <cmath>
#include <limits>

#include <glassbox/observe/record.h>
#include <glassbox/ops/ops.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/gradient_check.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {
constexpr Tolerance hundredth{0.01, 0};
}  // namespace

TEST_CASE("the comparator returns nothing when all elements are within the tolerance") {
    CHECK(find_difference({1, 2, 3}, {1, 2, 3}, exact, "x") == "");
    CHECK(find_difference({1, 2.005f, 3}, {1, 2, 3}, hundredth, "x") == "");
    CHECK(find_difference({200, 1}, {201, 1}, Tolerance{0, 0.01}, "x") == "");
    CHECK(find_difference({infinity, -infinity}, {infinity, -infinity}, exact, "x") == "");
    CHECK(find_difference(Tensor::zeros({0, 3}), Tensor::zeros({0, 3}), exact, "x") == "");
}

TEST_CASE("the comparator prints path, index and both values of the first difference") {
    CHECK(find_difference({{1, 2}, {3, 4}}, {{1, 2}, {3.5f, 5}}, hundredth, "encoder/0/logits") ==
          "encoder/0/logits[1, 0]: 3, expected 3.5 (difference -0.5; 2 of 4 elements differ, by up to 1)");
    CHECK(find_difference(Tensor(1.0f), Tensor(2.0f), hundredth, "loss") ==
          "loss[]: 1, expected 2 (difference -1; 1 of 1 elements differ, by up to 1)");
}

TEST_CASE("the comparator distinguishes the absolute from the relative tolerance") {
    CHECK(find_difference({0.02f}, {0}, hundredth, "x") != "");
    CHECK(find_difference({0.02f}, {0}, Tolerance{0, 10}, "x") !=
          "");  // relative tolerances do not apply at 0
    CHECK(find_difference({103}, {100}, Tolerance{0, 0.02}, "x") != "");
}

TEST_CASE("the comparator rejects different shapes, even with the same elements") {
    CHECK(find_difference({1, 2}, {{1, 2}}, exact, "x") == "x: shape (2,), expected (1, 2)");
    CHECK(find_difference(Tensor::zeros({0, 2}), Tensor::zeros({2, 0}), exact, "x") != "");
    CHECK(find_difference(Tensor(), {1}, exact, "x") == "x: the actual tensor is undefined");
    CHECK(find_difference({1}, Tensor(), exact, "x") == "x: the expected tensor is undefined");
}

TEST_CASE("the comparator fails on NaN") {
    const Tolerance everything{1e30, 1e30};
    CHECK(find_difference({NaN}, {1}, everything, "x") != "");
    CHECK(find_difference({1}, {NaN}, everything, "x") != "");
    CHECK(find_difference({NaN}, {NaN}, everything, "x") != "");
    CHECK(find_difference({NaN, 1}, {NaN, 1}, exact.with_nan(), "x") == "");
    CHECK(find_difference({NaN, 1}, {1, NaN}, everything.with_nan(), "x") != "");
}

TEST_CASE("the comparator fails on a missing infinity and on one of the other sign") {
    const Tolerance everything{1e30, 1e30};
    CHECK(find_difference({infinity}, {1}, everything, "x") != "");
    CHECK(find_difference({1}, {infinity}, everything, "x") != "");
    CHECK(find_difference({-infinity}, {infinity}, everything, "x") != "");
}

TEST_CASE("the comparator reads strided tensors by their indices") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    CHECK(find_difference(transpose(x), {{1, 4}, {2, 5}, {3, 6}}, exact, "x") == "");
    CHECK(find_difference(transpose(x), {{1, 4}, {2, 5}, {3, 7}}, exact, "x").find("x[2, 1]: 6") == 0);
}

TEST_CASE("finite differences of a cubic match its derivative") {
    const Function cube = [](const std::vector<Tensor>& x) { return x[0] * x[0] * x[0]; };
    const Tensor slope = finite_differences(cube, {Tensor{1, -2, 0}}, 0, Tensor{1, 1, 2});
    check_close(slope, Tensor{3, 12, 0}, in_double ? Tolerance{1e-9, 0} : Tolerance{1e-3, 0}, "3x²");
}

TEST_CASE("finite differences detect a pullback that is wrong by half a percent") {
    const Function wrong = [](const std::vector<Tensor>& x) {
        const Tensor y = exp(x[0]);
        Tensor z = y.alias(y.shape(), y.strides());
        return record("wrong", z, {&x[0]},
                      [y](const Tensor& dy) -> Tape::Gradients { return {dy * y * 1.005}; });
    };
    const std::vector<Tensor> inputs = {Tensor{0.5f, 1, 2}};
    const Tensor ones = Tensor::ones({3});
    const Tensor by_tape = tape_gradients(wrong, inputs, ones)[0];
    CHECK(find_difference(by_tape, finite_differences(wrong, inputs, 0, ones), finite_difference, "x") != "");
}

TEST_CASE("scattered tensors hold the same numbers, and NaN between them") {
    for_seeds(50, [](Random& random) {
        const Tensor x = random.normal(random.shape(0, 4, 4));
        const Tensor y = random.scattered(x, Device::cpu);
        check_close(y, x, exact, "scattered");
        CHECK(!y.shares_storage_with(x));
    });
}

TEST_CASE("random numbers are the same for one seed and differ between seeds") {
    CHECK(Random(5).normal({4}).values() == Random(5).normal({4}).values());
    CHECK(Random(5).normal({4}).values() != Random(6).normal({4}).values());
}
