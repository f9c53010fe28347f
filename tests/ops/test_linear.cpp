#include <glassbox/ops/ops.h>

#include <limits>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {
const Function with_bias = [](const std::vector<Tensor>& x) { return linear(x[0], x[1], x[2]); };
const Function without_bias = [](const std::vector<Tensor>& x) { return linear(x[0], x[1]); };
}  // namespace

DEVICE_TEST("linear by hand") {
    const Tensor x = Tensor{{1, 2, 3}, {-1, 0, 2}}.to(device);
    const Tensor W = Tensor{{1, 0, 2}, {0, -1, 1}}.to(device), b = Tensor{10, 20}.to(device);
    check_close(linear(x, W), {{7, 1}, {3, 2}}, exact, "x Wᵀ");
    check_close(linear(x, W, b), {{17, 21}, {13, 22}}, exact, "x Wᵀ + b");
    check_close(linear(Tensor{1, 2, 3}.to(device), W, b), {17, 21}, exact, "of one row");
}

DEVICE_TEST("the gradients of linear by hand") {
    const Tensor x = Tensor{{1, 2}, {3, 4}}.to(device), W = Tensor{{5, 6}, {7, 8}, {9, 10}}.to(device);
    const Tensor b = Tensor::zeros({3}, device), dy = Tensor{{1, 0, 0}, {0, 1, -1}}.to(device);
    const std::vector<Tensor> gradients = tape_gradients(with_bias, {x, W, b}, dy);
    check_close(gradients[0], {{5, 6}, {-2, -2}}, exact, "∂/∂x = ∂/∂y W");
    check_close(gradients[1], {{1, 2}, {3, 4}, {-3, -4}}, exact, "∂/∂W = ∂/∂yᵀ x");
    check_close(gradients[2], {1, 1, -1}, exact, "∂/∂b = Σ ∂/∂y");
}

DEVICE_TEST("linear on random shapes: oracle, paths, gradients") {
    for_seeds(60, [&](Random& random) {
        const index_t in = random.whole(0, 9) ? random.whole(1, 4) : 0, out = random.whole(1, 4);
        const Tensor x = random.normal(random.shape(0, 4, 3).with_appended(in));
        const Tensor W = random.normal({out, in}), b = random.normal({out});
        check_op(device, random, "linear" + x.shape().str() + W.shape().str(), with_bias, {x, W, b});
        check_op(device, random, "linear without bias" + x.shape().str(), without_bias, {x, W});
    });
}

DEVICE_TEST("linear is matmul with the transpose, plus the bias") {
    Random random(1);
    const Tensor x = random.normal({3, 5, 8}).to(device), W = random.normal({6, 8}).to(device);
    const Tensor b = random.normal({6}).to(device);
    check_close(linear(x, W, b), matmul(x, transpose(W)) + b, rounding, "x Wᵀ + b");
}

DEVICE_TEST("large linear maps, split over threads by rows and by columns, match the oracle") {
    if (device == Device::oracle) return;
    Random random(2);
    for (const auto& [rows, in, out] :
         {std::array<index_t, 3>{700, 150, 130}, {100, 130, 900}, {513, 200, 257}}) {
        const Tensor x = random.normal({rows, in}), W = random.normal({out, in}), b = random.normal({out});
        const Tolerance longer{chain.absolute * 5,
                               chain.relative};  // sums of 200 terms, some of which cancel
        const Tensor expected = linear(x.to(Device::oracle), W.to(Device::oracle), b.to(Device::oracle));
        check_close(linear(x.to(device), W.to(device), b.to(device)), expected, longer, "linear");
        check_close(
            linear(random.scattered(x, device), random.scattered(W, device), random.scattered(b, device)),
            expected, longer, "linear of scattered operands");
    }
}

TEST_CASE("a linear map has the same bits on any number of threads") {
    Random random(3);
    const int before = num_threads();
    for (const auto& [rows, in, out] : {std::array<index_t, 3>{1500, 96, 96}, {64, 96, 2000}}) {
        const Tensor x = random.normal({rows, in}), W = random.normal({out, in}), b = random.normal({out});
        set_num_threads(1);
        const Tensor alone = linear(x, W, b);
        for (const int threads : {2, 3, 4}) {
            set_num_threads(threads);
            check_close(linear(x, W, b), alone, exact, std::to_string(threads) + " threads");
        }
    }
    set_num_threads(before);
}

DEVICE_TEST("a linear map of no rows, no inputs, no outputs") {
    const Tensor b = Tensor{1, 2}.to(device);
    CHECK(linear(Tensor::zeros({0, 3}, device), Tensor::ones({2, 3}, device), b).shape() == Shape{0, 2});
    CHECK(linear(Tensor::zeros({4, 3}, device), Tensor::ones({0, 3}, device)).shape() == Shape{4, 0});
    check_close(linear(Tensor::zeros({2, 0}, device), Tensor::ones({2, 0}, device), b), {{1, 2}, {1, 2}},
                exact, "the bias alone");
    const std::vector<Tensor> gradients =
        tape_gradients(with_bias, {Tensor::zeros({0, 3}, device), Tensor::ones({2, 3}, device), b},
                       Tensor::zeros({0, 2}, device));
    check_close(gradients[1], Tensor::zeros({2, 3}), exact, "∂/∂W of no rows");
    check_close(gradients[2], {0, 0}, exact, "∂/∂b of no rows");
}

DEVICE_TEST("NaN in one row of x stays in that row; NaN in the bias in its column") {
    const Tensor W = Tensor{{1, 0}, {0, 1}}.to(device);
    check_close(linear(Tensor{{NaN, 1}, {2, 3}}.to(device), W), {{NaN, NaN}, {2, 3}}, exact.with_nan(),
                "in x");
    check_close(linear(Tensor{{1, 2}}.to(device), W, Tensor{NaN, 0}.to(device)), {{NaN, 2}}, exact.with_nan(),
                "in b");
}

TEST_CASE("mismatched operands of linear are refused with their shapes") {
    devices();
    const Tensor x = Tensor::zeros({5, 3}), W = Tensor::zeros({2, 3});
    check_error([&] { linear(x, Tensor::zeros({3})); }, "linear: needs weights of shape (out, in), got (3,)");
    check_error(
        [&] {
            linear(x, Tensor::zeros({3, 2}));
        },
        "linear: x of shape (5, 3) does not end in 2, the width of weights (3, 2)");
    check_error([&] { linear(Tensor(real(1)), W); },
                "linear: x of shape () does not end in 3, the width of weights (2, 3)");
    check_error([&] { linear(x, W, Tensor::zeros({3})); },
                "linear: needs a bias of shape (2,) for weights (2, 3), got (3,)");
    check_error([&] { linear(Tensor(), W); }, "linear: an operand is undefined");
    check_error([&] { linear(x, Tensor()); }, "linear: an operand is undefined");
    check_error([&] { linear(x, W.to(Device::oracle)); }, "linear: operands on two devices: cpu and oracle");
    check_error([&] { linear(x, W, Tensor::zeros({2}, Device::oracle)); },
                "linear: operands on two devices: cpu and oracle");
}

TEST_CASE("the gradients of parameters are computed in their gradient buffers: nothing is copied") {
    Random random(6);
    const Tensor x = random.normal({4, 5, 6}), W = random.normal({7, 6}), b = random.normal({7});
    const Tensor gamma = random.normal({7}), beta = random.normal({7}), table = random.normal({3, 6});
    const Tensor ids = Tensor({4, 5}, std::vector<real>(20, 2));
    const auto model = [&](const std::vector<Tensor>& p) {
        return layer_norm(linear(x + embedding(p[4], ids), p[0], p[1]), p[2], p[3]);
    };
    const std::vector<Tensor> parameters = {W, b, gamma, beta, table};
    const std::vector<Tensor> expected = tape_gradients(model, parameters, Tensor::ones({4, 5, 7}));
    std::vector<std::pair<Tensor::Id, Tensor>> rooms;
    for (const Tensor& p : parameters) rooms.emplace_back(p.id(), Tensor::full(p.shape(), 5));
    GradientBuffers buffers(rooms);
    Tape tape(&buffers);
    tape.backward(model(parameters), Tensor::ones({4, 5, 7}));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        CHECK(buffers.is_written(i));
        check_close(rooms[i].second, expected[i], exact, "parameter " + std::to_string(i));
    }
}
