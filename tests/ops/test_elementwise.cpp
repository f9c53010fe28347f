#include <glassbox/ops/ops.h>

#include <cmath>
#include <limits>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct BinaryOp {
    const char* name;
    Tensor (*f)(const Tensor&, const Tensor&);
};
const BinaryOp binary_ops[] = {{"add", add}, {"sub", sub}, {"mul", mul}, {"div", div}};

struct UnaryOp {
    const char* name;
    Tensor (*f)(const Tensor&);
    double least, most;  // valid arguments
};
const UnaryOp unary_ops[] = {{"exp", exp, -3, 3},   {"log", log, 0.25, 4},       {"sqrt", sqrt, 0.25, 4},
                             {"tanh", tanh, -3, 3}, {"relu", relu, -3, 3},       {"negate", negate, -3, 3},
                             {"silu", silu, -3, 3}, {"sigmoid", sigmoid, -3, 3}, {"abs", abs, -3, 3}};

// Away from 0, where a quotient's slope is steep and relu has its kink.
Tensor away_from_zero(Random& random, const Shape& shape) {
    const Tensor x = random.uniform(shape, 0.5, 3);
    std::vector<real> values = x.values();
    for (real& value : values)
        if (random.whole(0, 1)) value = -value;
    return Tensor(shape, values);
}

}  // namespace

DEVICE_TEST("add, sub, mul, div by hand, with broadcasting") {
    const Tensor a = Tensor{{1, 2, 3}, {4, 5, 6}}.to(device), row = Tensor{10, 20, 30}.to(device);
    const Tensor column = Tensor({2, 1}, {2, 4}, device);
    check_close(a + row, {{11, 22, 33}, {14, 25, 36}}, exact, "a + row");
    check_close(row - a, {{9, 18, 27}, {6, 15, 24}}, exact, "row − a");
    check_close(a * column, {{2, 4, 6}, {16, 20, 24}}, exact, "a ∘ column");
    check_close(a / column, {{0.5f, 1, 1.5f}, {1, 1.25f, 1.5f}}, exact, "a / column");
    check_close(row * column, {{20, 40, 60}, {40, 80, 120}}, exact, "row ∘ column");
}

DEVICE_TEST("plain numbers on either side") {
    const Tensor a = Tensor{1, 2, 4}.to(device);
    check_close(a + 1, {2, 3, 5}, exact, "a + 1");
    check_close(a - 1, {0, 1, 3}, exact, "a − 1");
    check_close(a * 3, {3, 6, 12}, exact, "a · 3");
    check_close(0.5 * a, {0.5f, 1, 2}, exact, "0.5 a");
    check_close(a / 4, {0.25f, 0.5f, 1}, exact, "a / 4");
    check_close(-a, {-1, -2, -4}, exact, "−a");
    check_close(1 + a, {2, 3, 5}, exact, "1 + a");
    check_close(1 - a, {0, -1, -3}, exact, "1 − a");
    check_close(1 / a, {1, 0.5f, 0.25f}, exact, "1 / a");
}

DEVICE_TEST("+= and similar give a new value; other copies of the old one keep it") {
    Tensor x = Tensor{1, 2}.to(device);
    const Tensor copy = x, view = slice(x, 0, 1, 2);
    x += Tensor{10, 20}.to(device);
    check_close(x, {11, 22}, exact, "+=");
    x -= 1;
    check_close(x, {10, 21}, exact, "−= 1");
    x *= 2;
    x /= Tensor{5, 7}.to(device);
    check_close(x, {4, 6}, exact, "∘= and /=");
    x += 1;
    x -= Tensor{1, 1}.to(device);
    x *= Tensor{2, 3}.to(device);
    x /= 2;
    check_close(x, {4, 9}, exact, "the four with the other operand");
    check_close(copy, {1, 2}, exact, "a copy");
    check_close(view, {2}, exact, "a view");
}

DEVICE_TEST("+= is recorded on the tape") {
    const Tensor x = Tensor{1, 2}.to(device);
    Tape tape;
    Tensor y = x;
    y *= y;
    y += x;
    tape.backward(sum(y));
    check_close(tape.gradient(x), {3, 5}, exact, "2x + 1");
}

DEVICE_TEST("a number on the left is an operand of the traced operation") {
    const Tensor x = Tensor{2, 4}.to(device);
    Trace trace;
    const Tensor y = 3 - x, z = 3 / x;
    CHECK(trace.operation_of(y)->inputs[0].item() == 3);
    CHECK(trace.operation_of(z)->inputs[0].item() == 3);
    CHECK(trace.operation_of(z)->inputs[1].id() == x.id());
}

DEVICE_TEST("functions by hand") {
    const Tensor x = Tensor{-1, 0, 1}.to(device);
    const real e = static_cast<real>(std::exp(1.0)), t = static_cast<real>(std::tanh(1.0));
    check_close(exp(x), {1 / e, 1, e}, rounding, "exp");
    check_close(tanh(x), {-t, 0, t}, rounding, "tanh");
    check_close(relu(x), {0, 0, 1}, exact, "relu");
    check_close(log(Tensor{1, e, 4}.to(device)), {0, 1, real(std::log(4.0))}, rounding, "log");
    check_close(sqrt(Tensor{0, 4, 2}.to(device)), {0, 2, real(std::sqrt(2.0))}, rounding, "sqrt");
    check_close(sigmoid(x), {1 / (1 + e), real(0.5), e / (1 + e)}, rounding, "sigmoid");
    check_close(silu(x), {-1 / (1 + e), 0, e / (1 + e)}, rounding, "silu");
    check_close(abs(x), {1, 0, 1}, exact, "abs");
    check_close(clip(x, -0.5, 2), {real(-0.5), 0, 1}, exact, "clip");
}

DEVICE_TEST("NaN and infinities follow IEEE") {
    const Tensor x = Tensor{NaN, infinity, -infinity}.to(device);
    const Tolerance same = exact.with_nan();
    check_close(exp(x), {NaN, infinity, 0}, same, "exp");
    check_close(tanh(x), {NaN, 1, -1}, same, "tanh");
    check_close(relu(x), {NaN, infinity, 0}, same, "relu");
    check_close(log(Tensor{NaN, infinity, 0, -1}.to(device)), {NaN, infinity, -infinity, NaN}, same, "log");
    check_close(sqrt(Tensor{NaN, infinity, -1}.to(device)), {NaN, infinity, NaN}, same, "sqrt");
    check_close(sigmoid(x), {NaN, 1, 0}, same, "sigmoid");
    check_close(silu(x), {NaN, infinity, NaN}, same, "silu, −∞ · 0 at its end, as PyTorch has it");
    check_close(abs(x), {NaN, infinity, infinity}, same, "abs");
    check_close(clip(x, -1, 2), {NaN, 2, -1}, same, "clip");
    check_close(clip(x, -1, infinity), {NaN, infinity, -1}, same, "clip from below alone");
    check_close(clip(x, -infinity, infinity), x, same, "clip by nothing");
    check_close(pow(x, 2), {NaN, infinity, infinity}, same, "x²");
    check_close(pow(x, 3), {NaN, infinity, -infinity}, same, "x³");
    check_close(pow(x, -1), {NaN, 0, 0}, same, "1 / x");
    check_close(pow(x, 0), {1, 1, 1}, same, "x⁰");
    check_close(x - x, {NaN, NaN, NaN}, same, "x − x");
    check_close(x * 0, {NaN, NaN, NaN}, same, "x · 0");
    check_close(Tensor{1, 0, -1}.to(device) / Tensor{0, 0, 0}.to(device), {infinity, NaN, -infinity}, same,
                "x / 0");
}

DEVICE_TEST("exp is accurate over its full range") {
    for_seeds(4, [&](Random& random) {
        const Tensor x = random.uniform({5000}, -86, 88);
        const Tensor y = exp(x.to(device));
        const std::vector<real> arguments = x.values(), values = y.values();
        double worst = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double truth = std::exp(static_cast<double>(arguments[i]));
            worst = std::max(worst, std::abs(static_cast<double>(values[i]) - truth) / truth);
        }
        CHECK(worst < 2.0 * std::numeric_limits<real>::epsilon());
    });
    if (!in_double) check_close(exp(Tensor{89, 1000}.to(device)), {infinity, infinity}, exact, "overflow");
    check_close(exp(Tensor{-800, -2000}.to(device)), {0, 0}, Tolerance{1e-40, 0}, "underflow");
}

DEVICE_TEST("binary ops on random broadcast shapes: oracle, paths, gradients") {
    for (const BinaryOp& op : binary_ops)
        for_seeds(25, [&](Random& random) {
            const Shape shape = random.shape(0, 4, 3);
            const Tensor a = random.normal(random.whole(0, 1) ? shape : random.broadcastable(shape));
            const Tensor b = away_from_zero(random, random.whole(0, 1) ? shape : random.broadcastable(shape));
            Shape unused;
            try {
                unused = broadcast_shapes("", a.shape(), b.shape());
            } catch (const Error&) {
                return;  // 0 against 2: does not broadcast
            }
            check_op(device, random, std::string(op.name) + a.shape().str() + b.shape().str(),
                     [&](const std::vector<Tensor>& x) { return op.f(x[0], x[1]); }, {a, b});
        });
}

DEVICE_TEST("binary ops with 8 axes") {
    for (const BinaryOp& op : binary_ops)
        for_seeds(3, [&](Random& random) {
            const Tensor a = random.normal({2, 1, 3, 1, 2, 1, 2, 1});
            const Tensor b = away_from_zero(random, {1, 2, 1, 2, 1, 2, 1, 2});
            check_op(device, random, std::string(op.name) + " with 8 axes",
                     [&](const std::vector<Tensor>& x) { return op.f(x[0], x[1]); }, {a, b});
        });
}

DEVICE_TEST("functions on random shapes: oracle, paths, gradients") {
    for (const UnaryOp& op : unary_ops)
        for_seeds(15, [&](Random& random) {
            const Shape shape = random.shape(0, 5, 3);
            const bool has_kink = std::string(op.name) == "relu" || std::string(op.name) == "abs";
            const Tensor x =
                has_kink ? away_from_zero(random, shape) : random.uniform(shape, op.least, op.most);
            check_op(device, random, op.name + shape.str(),
                     [&](const std::vector<Tensor>& in) { return op.f(in[0]); }, {x});
        });
}

DEVICE_TEST("ops with a plain number on random shapes: oracle, paths, gradients") {
    for_seeds(10, [&](Random& random) {
        const Tensor x = random.normal(random.shape(0, 4, 3));
        check_op(device, random, "(x · 3 + 2) / 0.7 − 1",
                 [](const std::vector<Tensor>& in) { return (in[0] * 3 + 2) / 0.7 - 1; }, {x});
    });
}

DEVICE_TEST("the derivative of relu is 0 at 0, and 1 at NaN, as in PyTorch") {
    const Tensor x = Tensor{-1, 0, 2, NaN}.to(device);
    const std::vector<Tensor> gradient = tape_gradients(
        [](const std::vector<Tensor>& in) { return relu(in[0]); }, {x}, Tensor::ones({4}, device));
    check_close(gradient[0], {0, 0, 1, 1}, exact, "relu′");
}

DEVICE_TEST("sigmoid never overflows, and keeps its digits near 0") {
    const Tensor x = Tensor{-1000, -60, 1000}.to(device);
    check_close(sigmoid(x), {0, real(std::exp(-60.0)), 1}, Tolerance{0, in_double ? 1e-13 : 1e-5}, "sigmoid");
    const std::vector<Tensor> gradient = tape_gradients(
        [](const std::vector<Tensor>& in) { return sigmoid(in[0]); }, {x}, Tensor::ones({3}, device));
    check_close(gradient[0], {0, real(std::exp(-60.0)), 0}, Tolerance{0, in_double ? 1e-13 : 1e-5},
                "sigmoid′");
}

DEVICE_TEST("powers by hand: of negative numbers with integer exponents, and of 0") {
    const Tensor x = Tensor{-2, 0, 3}.to(device);
    check_close(pow(x, 2), {4, 0, 9}, exact, "x²");
    check_close(pow(x, 3), {-8, 0, 27}, exact, "x³");
    check_close(pow(x, 0), {1, 1, 1}, exact, "x⁰");
    check_close(pow(x, -2), {real(0.25), infinity, real(1.0 / 9)}, rounding, "x⁻²");
    check_close(pow(x, 0.5), {NaN, 0, real(std::sqrt(3.0))}, rounding.with_nan(), "√x");
    const auto slope = [&](double p) {
        return tape_gradients([p](const std::vector<Tensor>& in) { return pow(in[0], p); }, {x},
                              Tensor::ones({3}, device))[0];
    };
    check_close(slope(3), {12, 0, 27}, exact, "3 x²");
    check_close(slope(2), {-4, 0, 6}, exact, "2 x");
    check_close(slope(1), {1, 1, 1}, exact, "1");
    check_close(slope(0), {0, 0, 0}, exact, "0");
    check_close(slope(0.5), {NaN, infinity, real(0.5 / std::sqrt(3.0))}, rounding.with_nan(), "1 / 2√x");
}

DEVICE_TEST("powers and clips on random shapes: oracle, paths, gradients") {
    for_seeds(15, [&](Random& random) {
        const Shape shape = random.shape(0, 4, 3);
        const double p = static_cast<double>(random.whole(-4, 6)) / 2;
        check_op(device, random, "pow" + shape.str(),
                 [p](const std::vector<Tensor>& in) { return pow(in[0], p); },
                 {random.uniform(shape, 0.5, 3)});
        const double n = static_cast<double>(random.whole(0, 4));
        check_op(device, random, "whole pow" + shape.str(),
                 [n](const std::vector<Tensor>& in) { return pow(in[0], n); },
                 {away_from_zero(random, shape)});
        check_op(device, random, "clip" + shape.str(),
                 [](const std::vector<Tensor>& in) { return clip(in[0], -0.25, 1e9); },
                 {away_from_zero(random, shape)});
    });
}

DEVICE_TEST("numbers on the left on random shapes: oracle, paths, gradients") {
    for_seeds(10, [&](Random& random) {
        const Tensor x = away_from_zero(random, random.shape(0, 4, 3));
        check_op(device, random, "3 / (x / 10) + (2 − x)",
                 [](const std::vector<Tensor>& in) { return 3 / (in[0] / 10) + (2 - in[0]); }, {x});
    });
}

DEVICE_TEST("slopes at kinks match PyTorch: abs′(0) = 0, and clip passes at its bounds") {
    const Tensor x = Tensor{-2, -1, 0, 2, 3}.to(device), ones = Tensor::ones({5}, device);
    const auto slope = [&](const Function& f) { return tape_gradients(f, {x}, ones)[0]; };
    check_close(slope([](const std::vector<Tensor>& in) { return abs(in[0]); }), {-1, -1, 0, 1, 1}, exact,
                "abs′");
    check_close(slope([](const std::vector<Tensor>& in) { return clip(in[0], -1, 2); }), {0, 1, 1, 1, 0},
                exact, "clip′");
}

TEST_CASE("invalid arguments are refused") {
    check_error([] { return clip(Tensor{1}, 2, 1); }, "clip: low must not be above high: 2 and 1");
    check_error([] { return clip(Tensor{1}, NAN, 1); }, "clip: low must not be above high: nan and 1");
    check_error([] { return 2 - Tensor(); },
                "tensor: an undefined tensor was used: one declared but never given a value");
    if (in_double) return;
    const std::string beyond = " is beyond 3.4028235e+38, the largest number of this build's type";
    check_error([] { return Tensor{1} * 1e300; }, "mul: 1e+300" + beyond);
    check_error([] { return 1e300 / Tensor{1}; }, "div: 1e+300" + beyond);
}

TEST_CASE("mismatched operands of binary ops are refused by name, with both shapes") {
    devices();
    const Tensor a = Tensor::zeros({2, 3}), b = Tensor::zeros({2, 4});
    const std::string rule = ": shapes do not broadcast, axis -1 has 3 and 4: (2, 3) and (2, 4)";
    for (const BinaryOp& op : binary_ops) {
        check_error([&] { return op.f(a, b); }, op.name + rule);
        check_error([&] { return op.f(a, Tensor()); }, std::string(op.name) + ": an operand is undefined");
        check_error([&] { return op.f(a, a.to(Device::oracle)); },
                    std::string(op.name) + ": operands on two devices: cpu and oracle");
    }
}

TEST_CASE("an undefined operand of a function is refused") {
    for (const UnaryOp& op : unary_ops)
        check_error([&] { return op.f(Tensor()); },
                    "tensor: an undefined tensor was used: one declared but never given a value");
    check_error([] { return Tensor() * 2; },
                "tensor: an undefined tensor was used: one declared but never given a value");
}
