#include <glassbox/ops/ops.h>

#include <cmath>
#include <limits>

#include <glassbox/backend/parallel.h>
#include <glassbox/io/numpy.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Function entropy(double smoothing = 0) {
    return [=](const std::vector<Tensor>& x) { return cross_entropy(x[0], x[1], {smoothing}); };
}

real ln(double x) { return static_cast<real>(std::log(x)); }

Tensor random_labels(Random& random, const Shape& shape, index_t classes, bool some_ignored) {
    std::vector<real> labels(static_cast<std::size_t>(shape.numel()));
    for (real& label : labels) label = static_cast<real>(random.whole(some_ignored ? -1 : 0, classes - 1));
    return Tensor(shape, labels);
}

OpCheck without_labels() {
    OpCheck check;
    check.without_gradient = {1};
    return check;
}

}  // namespace

DEVICE_TEST("cross-entropy by hand, plain and smoothed") {
    // exp: 1, 2, 5 of 8
    const Tensor logits = Tensor{{0, ln(2), ln(5)}, {7, 7, 7}}.to(device);
    const Tensor labels = Tensor{2, 0}.to(device);
    check_close(cross_entropy(logits, labels), {ln(8. / 5), ln(3)}, rounding, "−ln p");
    // q = (0.1, 0.1, 0.8)
    const real smoothed = static_cast<real>(0.1 * std::log(8.) + 0.1 * std::log(4.) + 0.8 * std::log(1.6));
    check_close(cross_entropy(logits, labels, {0.3}), {smoothed, ln(3)}, rounding, "smoothed");
    check_close(cross_entropy(Tensor{0, ln(3)}.to(device), Tensor(real(0)).to(device)),
                Tensor(Shape{}, {ln(4)}), rounding, "of one row");
}

DEVICE_TEST("smoothed cross-entropy keeps its digits where the logits are far from 0") {
    const Tensor logits = Tensor::full({2, 1000}, 1000003, device), labels = Tensor{0, 999}.to(device);
    check_close(cross_entropy(logits, labels, {0.1}), {ln(1000), ln(1000)}, rounding, "ln C");
    // q = (0.05, 0.95): the loss is 0.05 · 4 + ln(1 + e⁻⁴) for any shift of both logits.
    const real loss = static_cast<real>(0.2 + std::log1p(std::exp(-4.0)));
    for (const real shift : {real(0), real(1 << 20), real(-(1 << 22))})
        check_close(cross_entropy(Tensor{{shift - 4, shift}}.to(device), Tensor{1}.to(device), {0.1}), {loss},
                    rounding, "shifted");
}

DEVICE_TEST("the gradient of cross-entropy is p − q, times the incoming gradient") {
    const Tensor logits = Tensor{{0, ln(2), ln(5)}}.to(device), labels = Tensor{1}.to(device);
    const Tensor dy = Tensor{8}.to(device);
    check_close(tape_gradients(entropy(), {logits, labels}, dy)[0], {{1, -6, 5}}, rounding, "p − q");
    check_close(tape_gradients(entropy(0.75), {logits, labels}, dy)[0], {{-1, -2, 3}}, rounding, "smoothed");
}

DEVICE_TEST("cross-entropy on random shapes: oracle, paths, gradients") {
    for_seeds(60, [&](Random& random) {
        const index_t classes = random.whole(1, 6);
        const Shape shape = random.shape(0, 4, 3);
        const Tensor logits = random.normal(shape.with_appended(classes));
        const Tensor labels = random_labels(random, shape, classes, random.whole(0, 1) == 1);
        const double smoothing = random.whole(0, 1) ? random.uniform(0, 1) : 0;
        OpCheck check = without_labels();
        check.finite_differences = false;  // labels are integers: the next test has the differences
        check_op(device, random, "cross_entropy" + logits.shape().str(), entropy(smoothing), {logits, labels},
                 check);
    });
}

DEVICE_TEST("the gradient of cross-entropy agrees with finite differences") {
    for_seeds(20, [&](Random& random) {
        const Tensor labels = random_labels(random, {2, 3}, 4, true).to(device);
        for (const double smoothing : {0., 0.2})
            check_tape_gradients(
                [&](const std::vector<Tensor>& x) { return cross_entropy(x[0], labels, {smoothing}); },
                {random.normal({2, 3, 4}).to(device)}, random.normal({2, 3}).to(device), "cross_entropy");
    });
}

DEVICE_TEST("cross-entropy is −ln softmax at the label, with many rows and many classes") {
    Random random(1);
    for (const Shape& shape : {Shape{700, 30}, Shape{3, 1000}, Shape{2500, 16}, Shape{0, 3}}) {
        const Tensor logits = random.uniform(shape, -5, 5),
                     labels = random_labels(random, {shape[0]}, shape[1], true);
        OpCheck check = without_labels();
        if (!in_double) check.forward = chain;  // the logarithm of a sum of 1000
        check_op(device, random, "cross_entropy" + shape.str(), entropy(0.1), {logits, labels}, check);
    }
    const Tensor logits = random.normal({40, 10}).to(device), fours = Tensor::full({40}, 4).to(device);
    const Tensor column = log_softmax(logits);
    for (index_t i = 0; i < 40; ++i)
        CHECK(std::abs(cross_entropy(logits, fours).at({i}) + column.at({i, 4})) < 1e-5);
}

DEVICE_TEST("ignored labels have loss 0 and no gradient, for any logits; all may be ignored") {
    const Tensor logits = Tensor{{NaN, infinity}, {0, 0}, {-infinity, NaN}}.to(device);
    const Tensor labels = Tensor{-1, 1, -100}.to(device);
    for (const double smoothing : {0., 0.5}) {
        check_close(cross_entropy(logits, labels, {smoothing}), {0, ln(2), 0}, rounding, "losses");
        const Tensor dy = Tensor{NaN, 2, infinity}.to(device);
        const real share = static_cast<real>(1 - smoothing);
        check_close(tape_gradients(entropy(smoothing), {logits, labels}, dy)[0],
                    {{0, 0}, {share, -share}, {0, 0}}, rounding, "∂/∂logits");
    }
    const Tensor none = Tensor{-1, -1, -1}.to(device);
    check_close(sum(cross_entropy(logits, none)), Tensor(real(0)), exact, "all ignored");
    check_close(tape_gradients(entropy(), {logits, none}, Tensor::ones({3}, device))[0],
                Tensor::zeros({3, 2}), exact, "∂/∂logits, all ignored");
}

DEVICE_TEST("a NaN makes only its own row's loss NaN; infinite logits follow the formula") {
    const Tensor logits =
        Tensor{{0, NaN}, {0, 0}, {0, -infinity}, {0, -infinity}, {1e4f, -1e4f}, {0, infinity}}.to(device);
    const Tensor labels = Tensor{0, 0, 0, 1, 1, 0}.to(device);
    check_close(cross_entropy(logits, labels), {NaN, ln(2), 0, infinity, 2e4f, NaN}, rounding.with_nan(),
                "losses");
    check_close(cross_entropy(Tensor{{0, -infinity}}.to(device), Tensor{0}.to(device), {0.1}), {infinity},
                exact, "a class with weight ε/C and probability 0");
    check_close(
        cross_entropy(Tensor{{-infinity, 0}, {0, -infinity}}.to(device), Tensor{0, 0}.to(device), {1}),
        {infinity, infinity}, exact, "the label counts as every other class where ε is 1");
}

DEVICE_TEST("cross-entropy and its gradient match PyTorch and optax") {
    const Npz file(std::string(GLASSBOX_GOLDEN) + "/losses.npz");
    CHECK(file.contains("versions"));
    int cases = 0;
    for (const std::string& key : file.names()) {
        if (!key.ends_with("/epsilon")) continue;
        const std::string name = key.substr(0, key.find('/'));
        const auto read = [&](const std::string& rest) { return file.read(name + "/" + rest).to(device); };
        const double epsilon = static_cast<double>(file.read(key).item());
        const Tensor logits = read("logits"), labels = read("labels");
        for (const std::string source : {"torch", "optax"}) {
            check_close(cross_entropy(logits, labels, {epsilon}), read(source + "/y"), golden,
                        name + "/" + source);
            check_close(tape_gradients(entropy(epsilon), {logits, labels}, read("w"))[0],
                        read(source + "/grad"), golden, name + "/" + source + "/grad");
        }
        ++cases;
    }
    CHECK(cases == 9);
}

TEST_CASE("cross-entropy and its gradient have the same bits on any number of threads") {
    Random random(2);
    const int before = num_threads();
    const Tensor logits = random.normal({5000, 40}), labels = random_labels(random, {5000}, 40, true),
                 dy = random.normal({5000});
    set_num_threads(1);
    const Tensor alone = cross_entropy(logits, labels);
    const Tensor gradient = tape_gradients(entropy(), {logits, labels}, dy)[0];
    set_num_threads(4);
    check_close(cross_entropy(logits, labels), alone, exact, "losses");
    check_close(tape_gradients(entropy(), {logits, labels}, dy)[0], gradient, exact, "∂/∂logits");
    set_num_threads(before);
}

TEST_CASE("invalid labels, shapes and smoothing are refused by name, place and value") {
    devices();
    const Tensor logits = Tensor::zeros({2, 3, 4}), zeros = Tensor::zeros({2, 3});
    const auto with = [&](real bad) { return Tensor{{0, 1, 3}, {-1, bad, 2}}; };
    const std::string rule = "cross_entropy: labels are whole numbers below 4, got ";
    check_error([&] { cross_entropy(logits, with(4)); }, rule + "4 at (1, 1)");
    check_error([&] { cross_entropy(logits, with(0.5f)); }, rule + "0.5 at (1, 1)");
    check_error([&] { cross_entropy(logits, with(-0.5f)); }, rule + "-0.5 at (1, 1)");
    check_error([&] { cross_entropy(logits, with(NaN)); }, rule + "nan at (1, 1)");
    check_error([&] { cross_entropy(logits, with(infinity)); }, rule + "inf at (1, 1)");
    check_error([&] { cross_entropy(logits, with(-infinity)); }, rule + "-inf at (1, 1)");
    check_error([&] { cross_entropy(Tensor::zeros({3}), Tensor(real(3))); },
                "cross_entropy: labels are whole numbers below 3, got 3 at ()");
    check_error([&] { cross_entropy(logits, with(9).to(Device::oracle)); },
                "cross_entropy: operands on two devices: cpu and oracle");
    check_error(
        [&] {
            cross_entropy(logits, Tensor::zeros({3, 2}));
        },
        "cross_entropy: needs one label for each row of logits, got logits (2, 3, 4), labels (3, 2)");
    check_error(
        [&] { cross_entropy(logits, logits); },
        "cross_entropy: needs one label for each row of logits, got logits (2, 3, 4), labels (2, 3, 4)");
    check_error([&] { cross_entropy(Tensor(real(1)), Tensor(real(0))); },
                "cross_entropy: needs at least 1 class, got logits ()");
    check_error(
        [&] {
            cross_entropy(Tensor::zeros({2, 0}), Tensor::zeros({2}));
        },
        "cross_entropy: needs at least 1 class, got logits (2, 0)");
    check_error([&] { cross_entropy(logits, Tensor()); }, "cross_entropy: an operand is undefined");
    check_error([&] { cross_entropy(logits, zeros, {1.5}); },
                "cross_entropy: needs label smoothing from 0 to 1, got 1.5");
    check_error([&] { cross_entropy(logits, zeros, {std::nan("")}); },
                "cross_entropy: needs label smoothing from 0 to 1, got nan");
}

DEVICE_TEST("squared error by hand, on random shapes, and against PyTorch and optax") {
    const Function error = [](const std::vector<Tensor>& x) { return squared_error(x[0], x[1]); };
    const Tensor y = Tensor{1, 2, -3}.to(device), t = Tensor{1, 4, 0}.to(device);
    check_close(squared_error(y, t), {0, 4, 9}, exact, "(y − t)²");
    const std::vector<Tensor> gradients = tape_gradients(error, {y, t}, Tensor{1, 1, 2}.to(device));
    check_close(gradients[0], {0, -4, -12}, exact, "∂/∂y");
    check_close(gradients[1], {0, 4, 12}, exact, "∂/∂t");
    for_seeds(20, [&](Random& random) {
        const Shape shape = random.shape(0, 4, 3);
        check_op(device, random, "squared_error" + shape.str(), error,
                 {random.normal(shape), random.normal(shape)});
    });
    const Npz file(std::string(GLASSBOX_GOLDEN) + "/losses.npz");
    const auto read = [&](const std::string& rest) { return file.read("error/" + rest).to(device); };
    check_close(squared_error(read("y"), read("target")), read("loss"), golden, "loss");
    const std::vector<Tensor> both = tape_gradients(error, {read("y"), read("target")}, read("w"));
    check_close(both[0], read("grad/y"), golden, "∂/∂y");
    check_close(both[1], read("grad/target"), golden, "∂/∂target");
}

TEST_CASE("squared error of two shapes is refused with both") {
    check_error(
        [] {
            squared_error(Tensor::zeros({2, 1}), Tensor::zeros({2}));
        },
        "squared_error: y and target differ in shape: (2, 1) and (2,)");
    check_error([] { squared_error(Tensor(), Tensor::zeros({2})); },
                "squared_error: an operand is undefined");
}
