// Every kernel of the interface on the GPU against the oracle: thousands of small shapes, of any rank and
// layout, and rows too long for a warp or for a block's shared memory.
#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/naive.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/kernel_calls.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// The oracle's values, the same bits again, and the same for any layout of the inputs.
void check_call(const KernelCall& call, Random& random) {
    INFO(call.name);
    Backend& cuda = backend(Device::cuda);
    const std::vector<Tensor> expected = results(call, backend(Device::oracle), nullptr);
    const std::vector<Tensor> found = results(call, cuda, nullptr);
    const bool scatter = random.whole(0, 1) == 1;
    const std::vector<Tensor> again = results(call, cuda, scatter ? &random : nullptr);
    for (std::size_t i = 0; i < found.size(); ++i) {
        check_close(found[i], expected[i], call.tolerance, call.name);
        check_close(again[i], found[i], scatter && !call.same_by_layout ? call.tolerance : exact.with_nan(),
                    call.name);
    }
}

}  // namespace

TEST_CASE("10,000 random shapes: every kernel matches the oracle, with reproducible bits (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(10000, [](Random& random) { check_call(any_call(random), random); });
}

// Around the widths where another kernel takes over, beyond a block's 1024 threads, and beyond 48 KiB, a
// block's default shared memory.
TEST_CASE("rows of any length, from one element to 100 kB, match the oracle (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const index_t n : {1,   4,   5,   8,   9,   16,  17,   31,   32,   33,   64,    65,
                            128, 129, 256, 257, 512, 513, 1023, 1024, 1025, 2500, 13001, 25600}) {
        INFO(n);
        for (KernelCall call : {softmaxes(random, n), cross_entropies(random, n), layer_norms(random, n)}) {
            call.tolerance = in_double ? chain : Tolerance{2e-5, 2e-5};  // sums of thousands of terms
            check_call(call, random);
        }
    }
}

TEST_CASE("sums and maxima of many terms, with few outputs or many, match the oracle (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const Shape& shape : {Shape{70001}, Shape{3, 20011}, Shape{20011, 3}, Shape{2, 9001, 5},
                               Shape{300, 200}, Shape{5000, 40}, Shape{1, 1, 33, 1, 65}})
        for (int i = 0; i < 4; ++i) {
            KernelCall call = reduction(random, shape);
            call.tolerance = in_double ? Tolerance{1e-11, 1e-12} : Tolerance{1e-4, 1e-6};
            check_call(call, random);
        }
}

TEST_CASE("thousands of rows are scattered in order, bit for bit as on the cpu (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const index_t d : {1, 127, 130}) {
        const Tensor x = random.normal({5000, d}), ids = integers(random, {5000}, 0, 2);
        Tensor here = Tensor::empty({4, d}), there = Tensor::empty({4, d}, Device::cuda);
        backend(Device::cpu).scatter_rows(x.view(), ids.view(), here.writable());
        const Tensor x_there = x.to(Device::cuda), ids_there = ids.to(Device::cuda);
        backend(Device::cuda).scatter_rows(x_there.view(), ids_there.view(), there.writable());
        check_close(there, here, exact, "table");
    }
}

TEST_CASE("rows with more columns than a grid has blocks have every column's gradient (cuda)",
          "[exhaustive]") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    const index_t blocks = 65'537;  // CUDA allows one less along y, each of 128 columns or 256
    SECTION("of an embedding") {
        const index_t d = 128 * blocks - 3;
        const Tensor all_x = random.uniform({1, d}, -1, 1), all_ids{0};
        const auto table = [&](Device device) {
            const Tensor x = all_x.to(device), ids = all_ids.to(device);
            Tensor made = Tensor::empty({1, d}, device);
            backend(device).scatter_rows(x.view(), ids.view(), made.writable());
            return made;
        };
        check_close(table(Device::cuda), table(Device::cpu), exact, "table");
    }
    SECTION("of a norm") {
        const index_t n = 256 * blocks - 3;
        const std::vector<Tensor> all = {random.uniform({1, n}, -1, 1), random.uniform({n}, 1, 2),
                                         Tensor{0.25}, Tensor{2}, random.uniform({1, n}, -1, 1)};
        const auto gradients = [&](Device device) {
            std::vector<Tensor> in,
                out = {Tensor::empty({1, n}, device), Tensor::empty({n}, device), Tensor::empty({n}, device)};
            for (const Tensor& each : all) in.push_back(each.to(device));
            backend(device).layer_norm_backward(in[0].view(), in[1].view(), in[2].view(), in[3].view(),
                                                in[4].view(), out[0].writable(), out[1].writable(),
                                                out[2].writable());
            return out;
        };
        const std::vector<Tensor> there = gradients(Device::cuda), here = gradients(Device::cpu);
        for (std::size_t i : {1u, 2u}) check_close(there[i], here[i], rounding, "∂/∂γ, ∂/∂β");
    }
}

TEST_CASE("dropout on the GPU drops the same elements as on the cpu, bit for bit (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    const Tensor x = random.normal({9, 1111}), x_there = x.to(Device::cuda);
    Tensor here = Tensor::empty(x.shape()), there = Tensor::empty(x.shape(), Device::cuda);
    const DropoutParams params{{{0x3243f6a8, 0x885a308d}}, 5000000, real(1.4)};
    backend(Device::cpu).dropout(x.view(), params, here.writable());
    backend(Device::cuda).dropout(x_there.view(), params, there.writable());
    check_close(there, here, exact, "y");
}

TEST_CASE("NaN, infinities and rows of −∞ affect their own row, of any length, and no other (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const index_t n : {3, 40, 700, 3000}) {
        Tensor x = random.normal({6, n});
        real* const row = x.writable().data;
        row[n - 1] = NaN;
        row[2 * n - 2] = infinity;
        row[3 * n - 2] = -infinity;
        std::fill(row + 3 * n, row + 4 * n, -infinity);
        std::fill(row + 4 * n, row + 5 * n, -infinity), row[4 * n + 1] = NaN;
        const KernelCall call{"softmax",
                              {x},
                              {x.shape(), x.shape()},
                              [](Backend& b, const KernelCall::In& in, const KernelCall::Out& out) {
                                  b.softmax(in[0], out[0]);
                                  b.log_softmax(in[0], out[1]);
                              },
                              Tolerance{2e-5, 2e-5, true}};
        check_call(call, random);
    }
}

TEST_CASE("the fast softmax and layer norm match the naive ones (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(40, [](Random& random) {
        const index_t n = random.whole(0, 4) ? random.whole(1, 100) : random.whole(1000, 1300);
        const Tensor x = random.normal({random.whole(1, 5), n}).to(Device::cuda);
        const Tensor gamma = random.normal({n}).to(Device::cuda), beta = random.normal({n}).to(Device::cuda);
        Tensor fast = Tensor::zeros(x.shape(), Device::cuda), naive = Tensor::ones(x.shape(), Device::cuda);
        Tensor mu = Tensor::zeros({x.size(0)}, Device::cuda), r = Tensor::zeros({x.size(0)}, Device::cuda);
        backend(Device::cuda).softmax(x.view(), fast.writable());
        naive_softmax(x.view(), naive.writable());
        check_close(fast, naive, rounding, "softmax");
        backend(Device::cuda)
            .layer_norm(x.view(), gamma.view(), beta.view(), 0.125, Moments::two_pass, fast.writable(),
                        mu.writable(), r.writable());
        naive_layer_norm(x.view(), gamma.view(), beta.view(), 0.125, naive.writable());
        check_close(fast, naive, in_double ? chain : Tolerance{2e-5, 2e-5}, "layer_norm");
    });
}

TEST_CASE("out of memory on the GPU reports the requested and the free memory (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    const index_t petabyte = (index_t{1} << 50) / static_cast<index_t>(sizeof(real));
    std::string message;
    try {
        Tensor::empty({petabyte}, Device::cuda);
    } catch (const Error& error) {
        message = error.what();
    }
    INFO(message);
    CHECK(message.find("memory: cuda has no 1125899.907 GB left for a tensor: ") == 0);
    CHECK(message.find(" GB are free, and this program's tensors hold ") != std::string::npos);
    for (const Device device : {Device::cpu, Device::cuda})  // more bytes than any address
        check_error([&] { Tensor::empty({(index_t{1} << 62) - 1}, device); },
                    "memory: 4611686018427387903 numbers are more than can be allocated");
    CHECK(Tensor::ones({3}, Device::cuda).at({2}) == 1);  // and continues
}
