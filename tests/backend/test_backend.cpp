#include <glassbox/backend/backend.h>

#include <limits>
#include <vector>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a build without CUDA says how to build with it") {
    if (is_available(Device::cuda)) SKIP("this build has CUDA");
    check_error([] { backend(Device::cuda); },
                "device cuda: this build of Glassbox has no CUDA kernels; build it with GLASSBOX_CUDA=ON, or "
                "use the cpu");
}

TEST_CASE("a program registers its own backend and memory, and removes them again") {
    devices();
    Backend& oracle = backend(Device::oracle);
    CHECK(std::string(oracle.name()) == "oracle");
    set_backend(Device::oracle, nullptr);
    set_memory(Device::oracle, nullptr);
    check_error([] { backend(Device::oracle); }, "backend: device oracle is not available in this program");
    check_error([] { memory(Device::oracle); }, "memory: device oracle is not available in this program");
    set_backend(Device::oracle, &oracle);
    set_memory(Device::oracle, &cpu_memory());
    CHECK(&backend(Device::oracle) == &oracle);
}

// Kernels that no op calls directly, or whose contract goes beyond what an op uses.

DEVICE_TEST("max over any axes; of nothing −∞; NaN is propagated") {
    const auto max_to = [&](const Tensor& x, const Shape& shape) {
        Tensor y = Tensor::empty(shape, device);
        const Tensor there = x.to(device);
        backend(device).max(there.view(), y.writable());
        return y.to(Device::cpu);
    };
    const Tensor x = {{1, 5, -3}, {4, -2, 0}};
    check_close(max_to(x, {1, 3}), Tensor({1, 3}, {4, 5, 0}), exact, "over axis 0");
    check_close(max_to(x, {2, 1}), Tensor({2, 1}, {5, 4}), exact, "over axis 1");
    check_close(max_to(x, {1, 1}), Tensor({1, 1}, {5}), exact, "over both");
    check_close(max_to(Tensor::zeros({2, 0}), {2, 1}), Tensor({2, 1}, {-infinity, -infinity}), exact,
                "of nothing");
    check_close(max_to({{NaN, 1, 2}, {1, NaN, 2}, {1, 2, NaN}}, {3, 1}), Tensor({3, 1}, {NaN, NaN, NaN}),
                exact.with_nan(), "NaN in every place");
}

DEVICE_TEST("max and sum agree with the oracle for any strides and reduced axes") {
    for_seeds(60, [&](Random& random) {
        const Tensor x = random.normal(random.shape(0, 5, 4));
        std::vector<index_t> sizes = x.shape().to_vector();
        for (index_t& size : sizes)
            if (random.whole(0, 1)) size = 1;
        const Shape to(sizes);
        const Tensor there = random.scattered(x, device), oracle_x = x.to(Device::oracle);
        Tensor y = Tensor::empty(to, device), expected = Tensor::empty(to, Device::oracle);
        backend(device).max(there.view(), y.writable());
        backend(Device::oracle).max(oracle_x.view(), expected.writable());
        check_close(y, expected, exact, "max " + x.shape().str() + " to " + to.str());
        backend(device).sum(there.view(), y.writable());
        backend(Device::oracle).sum(oracle_x.view(), expected.writable());
        check_close(y, expected, rounding, "sum " + x.shape().str() + " to " + to.str());
    });
}

DEVICE_TEST("copy and fill write into a window and leave the rest unchanged") {
    Tensor room = Tensor::zeros({3, 4}, device);
    View window = room.writable();
    window.data += 1;
    window.shape = {3, 2};
    const Tensor x = Tensor{{1, 2}, {3, 4}, {5, 6}}.to(device);
    backend(device).copy(x.view(), window);
    check_close(room, {{0, 1, 2, 0}, {0, 3, 4, 0}, {0, 5, 6, 0}}, exact, "copied");
    backend(device).fill(window, 7);
    check_close(room, {{0, 7, 7, 0}, {0, 7, 7, 0}, {0, 7, 7, 0}}, exact, "filled");
}

DEVICE_TEST("is_positive is 1 above 0, else 0, also for NaN and infinities") {
    const Tensor x = Tensor{-1, 0, -0.0f, 2, infinity, -infinity, NaN}.to(device);
    Tensor y = Tensor::empty(x.shape(), device);
    backend(device).unary(Unary::is_positive, x.view(), y.writable());
    check_close(y, {0, 0, 0, 1, 1, 0, 0}, exact, "is_positive");
}

DEVICE_TEST("a long sum keeps its small terms") {
    const index_t n = 1 << 20;
    const Tensor x = Tensor::full({n, 2}, real(0.1), device);
    const double exact_sum = static_cast<double>(real(0.1)) * static_cast<double>(n);
    Tensor all = Tensor::empty({1, 1}, device), columns = Tensor::empty({1, 2}, device);
    backend(device).sum(x.view(), all.writable());
    CHECK(all.item() == Approx(2 * exact_sum).epsilon(1e-6));
    backend(device).sum(x.view(), columns.writable());
    CHECK(columns.at({0, 0}) == Approx(exact_sum).epsilon(1e-6));
    CHECK(columns.at({0, 1}) == Approx(exact_sum).epsilon(1e-6));
}
