#include <glassbox/ops/testing.h>

#include <cmath>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

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
              "tensor 0 [0, 0] cannot be judged: f rounds too much (6 of 6 numbers cannot be judged)");
}

namespace {

// A function of a number with its slope, of which `wrong` times is recorded for the numbers in [from, to).
struct Curve {
    std::string name;
    double (*value)(double);
    double (*slope)(double);
    double border;  // of its domain
    int side = 1;   // the domain's, seen from the border
};

const std::vector<Curve> curves = {
    {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, 0},
    {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }, 0},
    {"1/x", [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }, 0},
    {"1/x of x < 0", [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }, 0, -1},
    {"1/x²", [](double x) { return 1 / (x * x); }, [](double x) { return -2 / (x * x * x); }, 0},
    {"x^0.1", [](double x) { return std::pow(x, 0.1); }, [](double x) { return 0.1 * std::pow(x, -0.9); }, 0},
    {"x ln x", [](double x) { return x * std::log(x); }, [](double x) { return std::log(x) + 1; }, 0},
    {"log1p", [](double x) { return std::log1p(x); }, [](double x) { return 1 / (1 + x); }, -1},
    {"atanh", [](double x) { return std::atanh(x); }, [](double x) { return 1 / (1 - x * x); }, 1, -1},
    {"asin", [](double x) { return std::asin(x); }, [](double x) { return 1 / std::sqrt(1 - x * x); }, 1, -1},
    {"1/(1 − x)", [](double x) { return 1 / (1 - x); }, [](double x) { return std::pow(1 - x, -2); }, 1, -1},
    {"logit", [](double x) { return std::log(x / (1 - x)); }, [](double x) { return 1 / (x * (1 - x)); }, 0},
    {"log |x|", [](double x) { return std::log(std::abs(x)); }, [](double x) { return 1 / x; }, 0},
};

Tensor each(const Tensor& x, const std::function<double(double)>& f) {
    std::vector<real> values = x.values();
    for (real& value : values) value = static_cast<real>(f(static_cast<double>(value)));
    return Tensor(x.shape(), values);
}

// The slope is `factor` times the expected one at less than `within` from the border.
Agreement judged(const Curve& curve, const Tensor& x, double factor, double within) {
    return check_gradients(
        [&](const Tensor& t) {
            return record("curve", each(t, curve.value), {&t}, [=, &curve](const Tensor& dy) {
                return dy * each(t, [&](double value) {
                           const bool is_wrong = std::abs(value - curve.border) < within;
                           return curve.slope(value) * (is_wrong ? factor : 1);
                       });
            });
        },
        x);
}

}  // namespace

TEST_CASE("check_gradients: near the border of a domain right slopes are true, and wrong ones are found") {
    for (const Curve& curve : curves)
        for (const double distance : {0.4, 0.25, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001}) {
            INFO(curve.name << " at " << distance);
            const Tensor x{curve.border + curve.side * distance, curve.border + curve.side * 0.45};
            const Agreement right = judged(curve, x, 1, 0);
            CHECK(right);
            INFO(right.str());
            for (const double factor : {7.0, 2.0, 0.9, 0.0, -1.0}) {
                const Agreement wrong = judged(curve, x, factor, distance * 1.01);
                CHECK(!wrong);
                INFO(factor << ": " << wrong.str());
                CHECK(wrong.str().find("finite differences") != std::string::npos);
            }
        }
}

TEST_CASE("check_gradients: where 1/x is large, a slope that is wrong far from there is found too") {
    const Curve& reciprocal = curves[2];
    const Tensor x{1e-3, 1, 2};
    CHECK(judged(reciprocal, x, 1, 0));
    for (const double factor : {7.0, 2.0, 0.5}) {
        const Agreement wrong = check_gradients(
            [&](const Tensor& t) {
                return record("reciprocal", each(t, reciprocal.value), {&t}, [&, t](const Tensor& dy) {
                    return dy * each(t, [&](double value) {
                               return reciprocal.slope(value) * (value == 1 ? factor : 1);
                           });
                });
            },
            x);
        CHECK(!wrong);
        CHECK(wrong.str().find("tensor 0 [1]: ") == 0);
    }
}

TEST_CASE(
    "check_gradients: a softmax of nearly 1, whose change is lost in its rounding, is no wrong gradient") {
    for_seeds(6, [](Random& random) {
        for (const double scale : {5.0, 12.0, 15.0, 25.0}) {
            const Tensor x = random.normal({3, 6});
            const auto softmax_of =
                [&](const std::function<Tensor(const Tensor& y, const Tensor& dy)>& pullback) {
                    return check_gradients(
                        [&](const Tensor& t) {
                            const Tensor y = [&] {
                                const NoRecording silence;
                                return softmax(t * scale);
                            }();
                            return record("softmax", y, {&t}, [&pullback, y, scale](const Tensor& dy) {
                                return scale * pullback(y, dy);
                            });
                        },
                        x);
                };
            const Agreement right = softmax_of(
                [](const Tensor& y, const Tensor& dy) { return y * (dy - sum(dy * y, -1, true)); });
            INFO("softmax(" << scale << " x): " << right.str());
            CHECK((right || has(right.str(), "f rounds too much")));
            if (scale < 10) CHECK(right);
            CHECK(!softmax_of([](const Tensor& y, const Tensor& dy) { return y * (1 - y) * dy; }));
        }
    });
    // Beside a large number a small one is known all the same, where it has an output of its own.
    const auto exponential = [](double factor) {
        return check_gradients(
            [=](const Tensor& t) {
                return record("exp", each(t, [](double value) { return std::exp(value); }), {&t},
                              [=](const Tensor& dy) {
                                  return dy * each(t, [=](double value) {
                                             return std::exp(value) * (value < -10 ? factor : 1);
                                         });
                              });
            },
            Tensor{1, -20});
    };
    CHECK(exponential(1));
    CHECK(!exponential(2));
}

TEST_CASE("check_gradients: very near a border steps are halved until they are within") {
    for (const double x : {1e-12, 3e-20, 1e-30}) {
        INFO(x);
        CHECK(check_gradients([](const Tensor& t) { return log(t); }, Tensor{x, 1}));
        CHECK(check_gradients([](const Tensor& t) { return sqrt(t); }, Tensor{x}));
    }
}

TEST_CASE("check_gradients: a number that cannot be judged is named, and nothing is true then") {
    const auto root = [](const Tensor& x) { return sqrt(x); };
    CHECK(
        check_gradients([&](const In& in) { return root(in[0]) + in[1]; }, {Tensor{4, 0, 1}, Tensor{1, 2, 3}})
            .str() ==
        "tensor 0 [1] cannot be judged: f is NaN or infinite next to it (1 of 3 numbers cannot be judged)");
    CHECK(!check_gradients(root, Tensor{0}));
    CHECK(check_gradients([](const Tensor& x) { return max(x, 0) * 2; }, Tensor{-INFINITY, 3}));
    CHECK(check_gradients([](const In& in) { return max(in[0], 0) + in[1]; }, {Tensor{-INFINITY}, Tensor{3}})
              .str() == "f[0] is -inf: finite differences of it are undefined");
}

TEST_CASE("check_gradients: a gradient that is infinite or NaN differs, whatever the others are") {
    for (const double wrong : {double(INFINITY), double(NAN)}) {
        const Agreement found = check_gradients(
            [&](const Tensor& x) {
                return record("endless", exp(x.clone()), {&x}, [=](const Tensor& dy) {
                    return dy * exp(x) * Tensor{1, wrong, 1};
                });
            },
            Tensor{0.5, 1, 2});
        CHECK(!found);
        CHECK(found.str().find("tensor 0 [1]: the tape has ") == 0);
    }
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
    CHECK(
        check_gradients([&](const In& in) { return in[0] * ++calls; }, {x}).str() ==
        "f returns a different value on its second call: f[0]: 2, expected 1 (difference 1; 2 of 2 elements "
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
    CHECK(found.str().find("10 of 1000 numbers agree with finite differences within ") == 0);
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
                "check_gradients: needs at least 1 number per tensor, got 0");
}
