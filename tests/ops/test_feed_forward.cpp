#include <glassbox/ops/ops.h>

#include <glassbox/backend/parallel.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr Activation activations[] = {Activation::none, Activation::relu, Activation::gelu,
                                      Activation::gelu_tanh};

Function network(Activation activation) {
    return [=](const std::vector<Tensor>& x) {
        return fused_feed_forward(x[0], x[1], x[2], activation, x[3], x[4]);
    };
}

// x, W₁, b₁, W₂, b₂
std::vector<Tensor> operands(Random& random, const Shape& leading, index_t in, index_t hidden, index_t out) {
    return {random.normal(leading.with_appended(in)), random.normal({hidden, in}), random.normal({hidden}),
            random.normal({out, hidden}), random.normal({out})};
}

std::vector<Tensor> moved(std::vector<Tensor> tensors, Device device) {
    for (Tensor& tensor : tensors) tensor = tensor.to(device);
    return tensors;
}

}  // namespace

DEVICE_TEST("a feed-forward network by hand") {
    const Tensor x = Tensor{{1, 2}, {3, -1}}.to(device), W1 = Tensor{{1, -1}, {2, 1}, {0, 1}}.to(device);
    const Tensor b1 = Tensor{0, -1, 1}.to(device), W2 = Tensor{{1, 10, 100}}.to(device),
                 b2 = Tensor{5}.to(device);
    // Rows of hidden values: (−1, 3, 3) and (4, 4, 0).
    check_close(fused_feed_forward(x, W1, b1, Activation::relu, W2, b2), Tensor({2, 1}, {335, 49}), exact,
                "ReLU");
    check_close(fused_feed_forward(x, W1, b1, Activation::none, W2, b2), Tensor({2, 1}, {334, 49}), exact,
                "no activation");
    check_close(fused_feed_forward(x, W1, Tensor(), Activation::relu, W2, Tensor()),
                Tensor({2, 1}, {240, 54}), exact, "no biases");
}

DEVICE_TEST("feed-forward networks on random shapes: oracle, paths, gradients") {
    for (const Activation activation : activations)
        for_seeds(10, [&](Random& random) {
            OpCheck check;
            check.forward = check.backward = Tolerance{chain.absolute * 5, chain.relative * 5};
            check.finite_differences = activation != Activation::relu;  // which has a kink
            check_op(device, random, "feed_forward " + std::to_string(static_cast<int>(activation)),
                     network(activation),
                     operands(random, random.shape(0, 3, 3), random.whole(1, 3), random.whole(1, 3),
                              random.whole(1, 3)),
                     check);
        });
}

DEVICE_TEST("fused or step by step, forward and backward, few rows and many") {
    const Tolerance sums{chain.absolute * 100, chain.relative * 10};  // of up to 2500 rows
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh})
        for (const index_t rows : {3, 70, 2500}) {
            if (device == Device::oracle && rows > 3) continue;  // minutes of plain loops
            Random random(static_cast<std::uint64_t>(rows));
            const std::vector<Tensor> in = moved(operands(random, {rows}, 12, 40, 9), device);
            const Function steps = [&](const std::vector<Tensor>& x) {
                const Tensor hidden = linear(x[0], x[1], x[2]);
                const Tensor active = activation == Activation::relu   ? relu(hidden)
                                      : activation == Activation::gelu ? gelu(hidden)
                                                                       : gelu(hidden, Activation::gelu_tanh);
                return linear(active, x[3], x[4]);
            };
            check_close(network(activation)(in), steps(in), Tolerance{chain.absolute * 5, chain.relative * 5},
                        "y");
            const Tensor dy = random.normal({rows, 9}).to(device);
            const std::vector<Tensor> fused_gradients = tape_gradients(network(activation), in, dy);
            const std::vector<Tensor> gradients = tape_gradients(steps, in, dy);
            for (std::size_t i = 0; i < in.size(); ++i)
                check_close(fused_gradients[i], gradients[i], sums, "gradient " + std::to_string(i));
        }
}

DEVICE_TEST("one tensor in two roles gets the gradients of both") {
    const Tensor x = Tensor{{1, 2}, {3, -1}}.to(device), W = Tensor{{2, 1}, {1, 3}}.to(device);
    const Function twice = [](const std::vector<Tensor>& in) {
        return fused_feed_forward(in[0], in[1], Tensor(), Activation::none, in[1], Tensor());
    };
    const Function steps = [](const std::vector<Tensor>& in) { return linear(linear(in[0], in[1]), in[1]); };
    const Tensor dy = Tensor{{1, -1}, {2, 1}}.to(device);
    check_close(tape_gradients(twice, {x, W}, dy)[1], tape_gradients(steps, {x, W}, dy)[1], rounding, "∂/∂W");
}

TEST_CASE("a feed-forward network has the same bits on any number of threads") {
    Random random(3);
    const int before = num_threads();
    const std::vector<Tensor> in = operands(random, {1400}, 32, 96, 32);
    set_num_threads(1);
    const Tensor alone = network(Activation::relu)(in);
    set_num_threads(4);
    check_close(network(Activation::relu)(in), alone, exact, "4 threads");
    set_num_threads(before);
}

TEST_CASE("mismatched operands of a feed-forward network are refused like linear's") {
    devices();
    const Tensor x = Tensor::zeros({5, 3}), W1 = Tensor::zeros({4, 3}), W2 = Tensor::zeros({2, 4}), none;
    check_error([&] { fused_feed_forward(x, W2, none, Activation::relu, W2, none); },
                "linear: x of shape (5, 3) does not end in 4, the width of weights (2, 4)");
    check_error([&] { fused_feed_forward(x, W1, none, Activation::relu, W1, none); },
                "linear: x of shape (5, 4) does not end in 3, the width of weights (4, 3)");
    check_error([&] { fused_feed_forward(x, W1, none, Activation::relu, W2, Tensor::zeros({4})); },
                "linear: needs a bias of shape (2,) for weights (2, 4), got (4,)");
    check_error([&] { fused_feed_forward(none, W1, none, Activation::relu, W2, none); },
                "feed_forward: an operand is undefined");
    check_error([&] { fused_feed_forward(x, W1, none, Activation::relu, W2.to(Device::oracle), none); },
                "linear: operands on two devices: cpu and oracle");
}
