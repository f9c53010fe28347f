#include <glassbox/ops/dropout.h>

#include <cmath>
#include <limits>
#include <optional>

#include <glassbox/backend/parallel.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/threefry.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

// Which of n ones are kept, and with what value.
Tensor mask(const Shape& shape, double p, Device device, std::uint64_t seed = 42, std::uint32_t step = 0,
            std::uint32_t piece = 0) {
    const DropoutScope dropping(seed, step, piece);
    return dropout(Tensor::ones(shape, device), p);
}

index_t different(const Tensor& a, const Tensor& b) {
    const std::vector<real> p = a.values(), q = b.values();
    index_t count = 0;
    for (std::size_t i = 0; i < p.size(); ++i) count += p[i] != q[i];
    return count;
}

}  // namespace

DEVICE_TEST("the mask is the generator's, element by element in row-major order") {
    const double p = 0.3;
    const Tensor y = mask({9, 11}, p, device, (std::uint64_t{9} << 32) + 5, 3, 2);
    const TwoWords of_step = threefry({9, 5}, {3, 2});
    const TwoWords key = threefry(of_step, {0, 0});
    std::vector<real> expected;
    for (std::uint32_t i = 0; i < 99; ++i) {
        const TwoWords words = threefry(key, {0, i / 2});
        const double uniform = ((i % 2 == 0 ? words.first : words.second) >> 8) / double(1 << 24);
        expected.push_back(uniform < p ? real(0) : static_cast<real>(1 / (1 - p)));
    }
    check_close(y, Tensor({9, 11}, expected), exact, "mask");
}

TEST_CASE("the mask is the same on every device and with any number of threads") {
    const int before = num_threads();
    const Shape shape{200, 300};
    set_num_threads(1);
    const Tensor alone = mask(shape, 0.1, Device::cpu);
    set_num_threads(4);
    for (const Device device : devices()) check_close(mask(shape, 0.1, device), alone, exact, name(device));
    set_num_threads(before);
}

DEVICE_TEST("about a fraction p becomes 0, the rest is scaled so that the mean is preserved") {
    for (const double p : {0.1, 0.5, 0.9}) {
        const index_t n = 40000;
        const std::vector<real> values = mask({n}, p, device, 7).values();
        double zeros = 0, sum = 0;
        for (const real value : values) zeros += value == 0, sum += static_cast<double>(value);
        const double deviation = std::sqrt(p * (1 - p) / static_cast<double>(n));  // of the fraction
        CAPTURE(p);
        CHECK(std::abs(zeros / static_cast<double>(n) - p) < 4 * deviation);
        CHECK(std::abs(sum / static_cast<double>(n) - 1) < 4 * deviation / (1 - p));
    }
}

DEVICE_TEST("with p near 1 the few that are kept are scaled by how many of 2²⁴ they are") {
    const double values = 1 << 24, p = 1 - 1000.5 / values;  // of the 2²⁴ values of a draw 1001 keep a number
    index_t kept = 0;
    for (const real value : mask({400'000}, p, device).values()) {
        if (value == 0) continue;
        CHECK(value == static_cast<real>(values / 1001));
        ++kept;
    }
    CHECK(kept > 0);
    CHECK(kept < 100);
}

DEVICE_TEST("seed, step, piece and earlier dropouts determine the mask") {
    const Shape shape{1000};
    const Tensor first = mask(shape, 0.5, device, 1, 0, 0);
    check_close(mask(shape, 0.5, device, 1, 0, 0), first, exact, "again");
    CHECK(different(mask(shape, 0.5, device, 2, 0, 0), first) > 400);
    CHECK(different(mask(shape, 0.5, device, 1, 1, 0), first) > 400);
    CHECK(different(mask(shape, 0.5, device, 1, 0, 1), first) > 400);
    CHECK(different(mask(shape, 0.5, device, (std::uint64_t{1} << 32) + 1, 0, 0), first) > 400);
    const DropoutScope dropping(1);
    const Tensor x = Tensor::ones(shape, device), one = dropout(x, 0.5), two = dropout(x, 0.5);
    check_close(one, first, exact, "the first of a scope");
    CHECK(different(one, two) > 400);
}

DEVICE_TEST("outside every dropout scope, and with p = 0, dropout is the identity") {
    const Tensor x = Tensor{1, 2, 3}.to(device);
    CHECK(dropout(x, 0.9).id() == x.id());
    {
        const DropoutScope dropping(1);
        CHECK(dropout(x, 0).id() == x.id());
        CHECK(dropout(x, 0.5).id() != x.id());
    }
    CHECK(dropout(x, 0.9).id() == x.id());
    CHECK(DropoutScope::current() == nullptr);
}

DEVICE_TEST("the innermost dropout scope applies; the outer one continues afterwards") {
    const Tensor x = Tensor::ones({1000}, device);
    const DropoutScope outer(1);
    const Tensor first = dropout(x, 0.5);
    {
        const DropoutScope inner(2);
        check_close(dropout(x, 0.5), mask({1000}, 0.5, device, 2), exact, "inner");
    }
    const Tensor second = dropout(x, 0.5);
    const DropoutScope again(1);
    check_close(dropout(x, 0.5), first, exact, "first of the outer");
    check_close(dropout(x, 0.5), second, exact, "second of the outer");
}

DEVICE_TEST("dropout on random shapes: oracle, paths, gradients") {
    for_seeds(20, [&](Random& random) {
        const Tensor x = random.normal(random.shape(0, 4, 4));
        check_op(device, random, "dropout" + x.shape().str(),
                 [](const std::vector<Tensor>& in) {
                     const DropoutScope dropping(3);  // the same mask at every call
                     return dropout(in[0], 0.4);
                 },
                 {x});
    });
}

DEVICE_TEST("the gradient flows through kept elements, even after the scope has ended") {
    const Tensor x = Tensor::ones({50}, device);
    Tape tape;
    std::optional<DropoutScope> dropping(5);
    const Tensor y = dropout(x, 0.5);
    dropping.reset();
    tape.backward(y, Tensor::ones({50}, device));
    check_close(tape.gradient(x), y, exact, "∂/∂x of ones is the mask, and so is y");
}

DEVICE_TEST("NaN and infinity are not dropped silently") {
    const DropoutScope dropping(1);
    for (const real value : dropout(Tensor::full({100}, NaN, device), 0.5).values()) CHECK(std::isnan(value));
    CHECK(dropout(Tensor::zeros({0, 4}, device), 0.5).shape() == Shape{0, 4});
}

TEST_CASE("probabilities outside [0, 1) are refused") {
    const Tensor x = Tensor{1, 2};
    check_error([&] { dropout(x, 1); }, "dropout: needs a probability in [0, 1), got 1");
    check_error([&] { dropout(x, -0.1); }, "dropout: needs a probability in [0, 1), got -0.1");
    check_error([&] { dropout(x, std::nan("")); }, "dropout: needs a probability in [0, 1), got nan");
    const DropoutScope dropping(1);
    check_error([] { dropout(Tensor(), 0.5); },
                "tensor: an undefined tensor was used: one declared but never given a value");
}
