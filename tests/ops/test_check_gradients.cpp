#include <glassbox/ops/check_gradients.h>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"
#include "support/tolerance.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using In = std::vector<Tensor>;

// eˣ, with a slope that is wrong by a factor.
Tensor wrong_exp(const Tensor& x, double factor) {
    const Tensor y = exp(x);
    return record("wrong_exp", y.alias(y.shape(), y.strides()), {&x},
                  [y, factor](const Tensor& dy) -> Tape::Gradients { return {dy * y * factor}; });
}

}  // namespace

DEVICE_TEST("check_gradients: correct ones agree, for any shape and size") {
    Random random(1);
    const Tensor x = random.normal({2, 3}).to(device), W = random.normal({4, 3}).to(device);
    CHECK(check_gradients([](const In& in) { return softmax(linear(in[0], in[1])); }, {x, W}));
    CHECK(check_gradients([](const In& in) { return sum(in[0] * in[0]); }, {x}));
    CHECK(check_gradients([](const Tensor& only) { return sigmoid(only); }, x));
    CHECK(check_gradients([](const In& in) { return exp(in[0] * 5) * 1e6; }, {x}));
    const Agreement tiny = check_gradients([](const In& in) { return in[0] * 1e-9 + 1; }, {x});
    CHECK(bool(tiny) == in_double);  // in float all of it is lost next to 1
    if (!in_double)
        CHECK(tiny.str() ==
              "tensor 0: 6 of 6 numbers cannot be judged: f rounds too much, or is NaN next to them");
}

DEVICE_TEST("check_gradients takes tensors on any device, and leaves them unchanged") {
    Random random(2);
    Tensor x = random.normal({2, 3}).to(device), W = random.normal({4, 3}).to(device);
    const Tensor::Id before = W.id();
    CHECK(check_gradients([&] { return tanh(linear(x, W)); }, {&x, &W}));
    CHECK(W.id() == before);
    CHECK_THROWS_AS(check_gradients([&] { return W[9]; }, {&W}), Error);
    CHECK(W.id() == before);
}

DEVICE_TEST("check_gradients: a slope that is wrong by one percent is reported") {
    const Tensor x = Tensor{{0.5f, 1, 2}}.to(device), z = Tensor(1.0).to(device);
    const auto f = [](double factor) {
        return [factor](const In& in) { return in[0] * 2 + wrong_exp(in[1], factor); };
    };
    CHECK(check_gradients(f(1), {z, x}));
    const Agreement found = check_gradients(f(1.01), {z, x});
    CHECK(!found);
    CHECK(found.str().find("tensor 1 [0, 0]: the tape has ") == 0);
    CHECK(found.str().find(", finite differences ") != std::string::npos);
    CHECK(found.str().find("(3 of 3 numbers differ)") != std::string::npos);
}

DEVICE_TEST("check_gradients: at a kink a slope between both sides is accepted, any other is not") {
    const Tensor x = Tensor{-1, 0, 2}.to(device);
    const Agreement found = check_gradients([](const In& in) { return relu(in[0]); }, {x});
    CHECK(found.str().find(", 1 at a kink") != std::string::npos);
    CHECK(found);
    const auto steep = [](const In& in) {
        const Tensor y = relu(in[0]);
        return record("steep", y.alias(y.shape(), y.strides()), {&in[0]},
                      [](const Tensor& dy) { return dy * 2; });  // a single input's gradient
    };
    CHECK(!check_gradients(steep, {x}));
}

TEST_CASE("check_gradients: no gradient through the tape, or an f that is not deterministic, is reported") {
    const Tensor x{1, 2}, y{3, 4};
    CHECK(check_gradients([](const In& in) { return in[0] * 2; }, {x, y}).str() ==
          "tensor 1 is the input of no op: f does not use it");
    CHECK(check_gradients([&](const In&) { return x * 2; }, {x}).str() ==
          "tensor 0 is the input of no op: f does not use it");
    const Agreement cut = check_gradients(
        [](const In& in) {
            const Tensor z = in[0] * in[0];
            return in[0] * 0 + Tensor(z.shape(), z.values());
        },
        {x});
    CHECK(!cut);
    CHECK(cut.str().find("tensor 0 [0]: the tape has 0, finite differences 2.23") == 0);
    CHECK(cut.str().find("(2 of 2 numbers differ; the tape has 0 everywhere)") != std::string::npos);
    int calls = 0;
    CHECK(check_gradients([&](const In& in) { return in[0] * ++calls; }, {x}).str() ==
          "f returns another value on its second call: f[0]: 2, expected 1 (difference 1; 2 of 2 elements "
          "differ, by up to 2)");
    CHECK(check_gradients([](const In& in) { return log(in[0] - 1); }, {x}).str() ==
          "f[0] is -inf: finite differences of it are undefined");
    CHECK(check_gradients([](const In&) { return Tensor(); }, {x}).str() == "f returns an undefined tensor");
}

TEST_CASE("check_gradients: only some of many numbers are checked, and observers record nothing") {
    Random random(3);
    const Tensor x = random.normal({50, 20});
    int calls = 0;
    Trace trace;
    Tape tape;
    const Agreement found = check_gradients(
        [&](const In& in) {
            ++calls;
            return exp(in[0]);
        },
        {x}, {.numbers = 10});
    CHECK(found);
    CHECK(found.str().find("10 of 1000 numbers agree with finite differences, to ") == 0);
    CHECK(calls < 400);
    CHECK(trace.operations().empty());
    CHECK(tape.size() == 0);
}

TEST_CASE("check_gradients refuses invalid arguments") {
    check_error([] { return check_gradients([](const In& in) { return in[0]; }, In{}).str(); },
                "check_gradients: no tensors given");
    check_error([] { return check_gradients([](const In& in) { return in[0]; }, In{Tensor()}).str(); },
                "check_gradients: tensor 0 is undefined");
    check_error(
        [] {
            Tensor* none = nullptr;
            return check_gradients([] { return Tensor{1}; }, {none}).str();
        },
        "check_gradients: tensor 0 is a null pointer");
    check_error([] { return check_gradients([](const In& in) { return in[0]; }, In{Tensor{1}}, {0}).str(); },
                "check_gradients: at least 1 number per tensor needed, got 0");
}
