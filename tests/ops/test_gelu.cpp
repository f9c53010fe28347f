#include <cmath>
#include <limits>

#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct Form {
    const char* name;
    Activation form;
};
constexpr Form forms[] = {{"erf", Activation::gelu}, {"tanh", Activation::gelu_tanh}};

}  // namespace

DEVICE_TEST("gelu by hand: x Φ(x), and approximately by tanh") {
    const Tensor x = Tensor{-1, 0, 1, 3}.to(device);
    const double Phi1 = 0.8413447460685429, Phi3 = 0.9986501019683699;  // of the normal distribution
    check_close(gelu(x), {real(Phi1 - 1), 0, real(Phi1), real(3 * Phi3)}, rounding, "by erf");
    check_close(gelu(x, Activation::gelu_tanh), {real(Phi1 - 1), 0, real(Phi1), real(3 * Phi3)},
                Tolerance{5e-4, 0}, "by tanh");
    const double u = std::sqrt(2 / 3.14159265358979323846) * (1 + 0.044715);
    check_close(gelu(Tensor{1}.to(device), Activation::gelu_tanh), {real((1 + std::tanh(u)) / 2)}, rounding,
                "tanh at 1");
    CHECK(std::abs(gelu(x, Activation::gelu_tanh).at({2}) - gelu(x).at({2})) >
          1e-5);  // two different functions
}

DEVICE_TEST("gelu, erf, sin and cos on random shapes: oracle, paths, gradients") {
    for_seeds(15, [&](Random& random) {
        const Tensor x = random.uniform(random.shape(0, 5, 3), -4, 4);
        for (const Form& form : forms)
            check_op(device, random, std::string("gelu by ") + form.name + x.shape().str(),
                     [&](const std::vector<Tensor>& in) { return gelu(in[0], form.form); }, {x});
        check_op(device, random, "erf", [](const std::vector<Tensor>& in) { return erf(in[0]); }, {x});
        check_op(device, random, "sin", [](const std::vector<Tensor>& in) { return sin(in[0]); }, {x});
        check_op(device, random, "cos", [](const std::vector<Tensor>& in) { return cos(in[0]); }, {x});
    });
}

DEVICE_TEST("gelu matches the oracle over its full range, in tensors split over threads") {
    Random random(1);
    const Tensor x = random.uniform({300, 301}, -12, 12);
    for (const Form& form : forms)
        check_op(device, random, std::string("gelu by ") + form.name,
                 [&](const std::vector<Tensor>& in) { return gelu(in[0], form.form); }, {x});
}

DEVICE_TEST("gelu equals the composition of the ops in its formula") {
    Random random(2);
    const Tensor x = random.uniform({50}, -5, 5).to(device);
    check_close(gelu(x), x * (erf(x / std::sqrt(2.0)) + 1) / 2, rounding, "by erf");
    check_close(gelu(x, Activation::gelu_tanh),
                x * (tanh((x + x * x * x * 0.044715) * std::sqrt(2 / 3.14159265358979323846)) + 1) / 2,
                rounding, "by tanh");
}

DEVICE_TEST("gelu and erf of NaN and of large arguments") {
    const Tensor x = Tensor{NaN, 100, -100, infinity}.to(device);
    for (const Form& form : forms)
        check_close(gelu(x, form.form), {NaN, 100, 0, infinity}, exact.with_nan(), form.name);
    check_close(erf(Tensor{NaN, infinity, -infinity, 0}.to(device)), {NaN, 1, -1, 0}, exact.with_nan(),
                "erf");
    CHECK(gelu(Tensor::zeros({2, 0}, device)).shape() == Shape{2, 0});
}

TEST_CASE("an undefined operand of gelu is refused") {
    check_error([] { return gelu(Tensor()); },
                "tensor: an undefined tensor was used: one declared but never given a value");
    check_error([] { return gelu({1}, Activation::relu); },
                "gelu: needs activation gelu or gelu_tanh, got another");
}
