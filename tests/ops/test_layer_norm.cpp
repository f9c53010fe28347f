#include <glassbox/ops/ops.h>

#include <cmath>
#include <limits>

#include <glassbox/backend/parallel.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr Moments both[] = {Moments::two_pass, Moments::one_pass};

Function norm(Moments moments, double epsilon = 1e-5) {
    return [=](const std::vector<Tensor>& x) { return layer_norm(x[0], x[1], x[2], epsilon, moments); };
}

}  // namespace

DEVICE_TEST("layer_norm by hand") {
    const Tensor x = Tensor{{1, 3}, {-2, 2}, {5, 5}}.to(device);  // means 2, 0, 5; variances 1, 4, 0
    const Tensor one = Tensor::ones({2}, device), zero = Tensor::zeros({2}, device);
    for (const Moments moments : both) {
        check_close(layer_norm(x, one, zero, 0.0625, moments),
                    {{real(-1 / std::sqrt(1.0625)), real(1 / std::sqrt(1.0625))},
                     {real(-2 / std::sqrt(4.0625)), real(2 / std::sqrt(4.0625))},
                     {0, 0}},
                    rounding, "normalised");
        check_close(layer_norm(Tensor{1, 3}.to(device), Tensor{2, 3}.to(device), Tensor{10, 20}.to(device), 0,
                               moments),
                    {8, 23}, rounding, "scaled and shifted");
    }
}

DEVICE_TEST("layer_norm on random shapes: oracle, paths, gradients") {
    for (const Moments moments : both)
        for_seeds(40, [&](Random& random) {
            const index_t d = random.whole(2, 5);
            const Tensor x = random.normal(random.shape(0, 4, 3).with_appended(d));
            const Tensor gamma = random.uniform({d}, 0.5, 2), beta = random.normal({d});
            // A large ε limits the slope of rows with nearly equal numbers, for finite differences.
            check_op(device, random, "layer_norm" + x.shape().str(), norm(moments, 0.5), {x, gamma, beta});
        });
}

DEVICE_TEST("layer_norm of wide rows matches the oracle, forward and backward") {
    Random random(1);
    for (const Moments moments : both)
        for (const Shape& shape : {Shape{7, 512}, Shape{300, 67}, Shape{2, 3, 1000}}) {
            const index_t d = shape[-1];
            OpCheck check;
            check.backward =
                Tolerance{chain.absolute * 10, chain.relative * 10};  // γ and β: sums over 300 rows
            check_op(device, random, "layer_norm" + shape.str(), norm(moments),
                     {random.normal(shape), random.uniform({d}, 0.5, 2), random.normal({d})}, check);
        }
}

DEVICE_TEST("rows have mean 0 and variance 1 afterwards") {
    for_seeds(10, [&](Random& random) {
        const index_t d = random.whole(8, 40);
        const Tensor x = random.uniform({6, d}, -30, 50).to(device);
        const Tensor y = layer_norm(x, Tensor::ones({d}, device), Tensor::zeros({d}, device), 0);
        check_close(mean(y, -1), Tensor::zeros({6}), chain, "mean");
        check_close(mean(y * y, -1), Tensor::ones({6}), chain, "variance");
    });
}

DEVICE_TEST("with a mean much larger than the spread, two passes keep the variance") {
    const real far = in_double ? real(3e9) : real(3e4);
    const Tensor x = Tensor{far - 1, far + 1, far - 1, far + 1}.to(device);
    const Tensor one = Tensor::ones({4}, device), zero = Tensor::zeros({4}, device);
    check_close(layer_norm(x, one, zero, 0, Moments::two_pass), {-1, 1, -1, 1}, chain, "two passes");
}

TEST_CASE("with a mean much larger than the spread, one pass keeps the variance up to double precision") {
    const double far = in_double ? 3e9 : 3e4, step = 1;  // far² ± 1 is not representable in a real
    const Tensor x = {real(far - step), real(far + step), real(far - step), real(far + step)};
    const Tensor one = Tensor::ones({4}), zero = Tensor::zeros({4});
    const Tensor y = layer_norm(x, one, zero, 1e-6, Moments::one_pass);
    if (in_double) CHECK(std::abs(y.at({0}) + 1) > 0.01);
    else check_close(y, {-1, 1, -1, 1}, chain, "one pass over floats, added up in double");
    CHECK_FALSE(std::isnan(y.at({0})));  // a negative computed variance counts as 0
}

DEVICE_TEST("a row of equal numbers becomes β; one number does too") {
    for (const Moments moments : both) {
        check_close(layer_norm(Tensor{4, 4, 4}.to(device), Tensor{1, 2, 3}.to(device),
                               Tensor{7, 8, 9}.to(device), 1e-5, moments),
                    {7, 8, 9}, exact, "equal numbers");
        check_close(layer_norm(Tensor({2, 1}, {5, -3}, device), Tensor{2}.to(device), Tensor{1}.to(device),
                               1e-5, moments),
                    Tensor({2, 1}, {1, 1}), exact, "one number a row");
    }
}

DEVICE_TEST("NaN and infinity in a row make only this row NaN") {
    const Tensor one = Tensor::ones({2}, device), zero = Tensor::zeros({2}, device);
    const Tensor x = Tensor{{NaN, 1}, {1, 3}, {infinity, 0}}.to(device);
    for (const Moments moments : both)
        check_close(layer_norm(x, one, zero, 0, moments), {{NaN, NaN}, {-1, 1}, {NaN, NaN}},
                    rounding.with_nan(), "y");
}

DEVICE_TEST("layer_norm of no rows; its γ and β then have gradient 0") {
    const Tensor x = Tensor::zeros({0, 3}, device), one = Tensor::ones({3}, device);
    CHECK(layer_norm(x, one, one).shape() == Shape{0, 3});
    const std::vector<Tensor> gradients = tape_gradients(norm(Moments::two_pass), {x, one, one}, x);
    check_close(gradients[1], {0, 0, 0}, exact, "∂/∂γ");
    check_close(gradients[2], {0, 0, 0}, exact, "∂/∂β");
}

TEST_CASE("layer_norm and its gradients have the same bits on any number of threads") {
    Random random(2);
    const int before = num_threads();
    const Tensor x = random.normal({1000, 100}), gamma = random.normal({100}), beta = random.normal({100});
    const Tensor dy = random.normal(x.shape());
    set_num_threads(1);
    const Tensor alone = layer_norm(x, gamma, beta);
    const std::vector<Tensor> gradients = tape_gradients(norm(Moments::two_pass), {x, gamma, beta}, dy);
    set_num_threads(4);
    check_close(layer_norm(x, gamma, beta), alone, exact, "y");
    const std::vector<Tensor> again = tape_gradients(norm(Moments::two_pass), {x, gamma, beta}, dy);
    for (std::size_t i = 0; i < 3; ++i)
        check_close(again[i], gradients[i], exact, "gradient " + std::to_string(i));
    set_num_threads(before);
}

TEST_CASE("mismatched operands of layer_norm are refused with their shapes") {
    devices();
    const Tensor x = Tensor::zeros({5, 3}), three = Tensor::ones({3});
    check_error([&] { layer_norm(x, Tensor::ones({2}), three); },
                "layer_norm: needs γ and β of shape (3,) for x of shape (5, 3), got (2,) and (3,)");
    check_error(
        [&] {
            layer_norm(x, three, Tensor::ones({1, 3}));
        },
        "layer_norm: needs γ and β of shape (3,) for x of shape (5, 3), got (3,) and (1, 3)");
    check_error([&] { layer_norm(Tensor(real(1)), three, three); },
                "layer_norm: needs rows of at least 1 number, got x of shape ()");
    check_error(
        [&] {
            layer_norm(Tensor::zeros({2, 0}), Tensor::ones({0}), Tensor::ones({0}));
        },
        "layer_norm: needs rows of at least 1 number, got x of shape (2, 0)");
    check_error([&] { layer_norm(x, Tensor(), three); }, "layer_norm: an operand is undefined");
    check_error([&] { layer_norm(x, three, three.to(Device::oracle)); },
                "layer_norm: operands on two devices: cpu and oracle");
}
