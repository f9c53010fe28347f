// Products on the GPU: every way in which cuBLAS is called, and the kernels that do not use it.
#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/products.h>
#include <glassbox/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Sums of up to some 200 terms of size 1.
constexpr Tolerance long_sums = in_double ? rounding : Tolerance{3e-5, 3e-5};

// Restores fp32 in any case.
struct Mode {
    explicit Mode(Products mode) { set_products(mode); }
    ~Mode() { set_products(Products::fp32); }
};

Tensor product_by(void (*kernel)(const ConstView&, const ConstView&, const View&), const Tensor& a,
                  const Tensor& b, const Shape& shape) {
    Tensor c = Tensor::full(shape, std::numeric_limits<real>::quiet_NaN(), Device::cuda);
    kernel(a.view(), b.view(), c.writable());
    return c;
}

// (batch, n, heads · d) → (batch, heads, n, d), a view
Tensor heads_of(const Tensor& x, index_t heads) {
    return permute(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

void check_product(const Tensor& a, const Tensor& b, const std::string& what) {
    check_close(matmul(a, b), matmul(a.to(Device::oracle), b.to(Device::oracle)), long_sums, what);
}

// x with 8 significant bits, as in bfloat16.
Tensor rounded_to_bf16(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    const std::vector<real> values = x.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        int exponent = 0;
        const double mantissa = std::frexp(static_cast<double>(values[i]), &exponent);
        y.writable().data[i] = static_cast<real>(std::ldexp(std::nearbyint(mantissa * 256), exponent - 8));
    }
    return y;
}

}  // namespace

TEST_CASE("naive, tiled and cuBLAS products match the oracle, for any shape and strides (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    for_seeds(80, [](Random& random) {
        const Shape batch = random.shape(0, 3, 3);
        const auto leading = [&] { return random.whole(0, 1) ? batch : random.broadcastable(batch); };
        const index_t m = random.whole(1, 70), n = random.whole(1, 40), k = random.whole(1, 50);
        const Tensor a = random.normal(leading().with_appended(m).with_appended(k));
        const Tensor b = random.normal(leading().with_appended(k).with_appended(n));
        const Tensor expected = matmul(a.to(Device::oracle), b.to(Device::oracle));
        for (const auto& [p, q] :
             {std::pair(a.to(Device::cuda), b.to(Device::cuda)),
              std::pair(random.scattered(a, Device::cuda), random.scattered(b, Device::cuda))}) {
            check_close(matmul(p, q), expected, long_sums, "cuBLAS");
            check_close(product_by(naive_matmul, p, q, expected.shape()), expected, long_sums, "naive");
            check_close(product_by(tiled_matmul, p, q, expected.shape()), expected, long_sums, "tiled");
        }
    });
}

TEST_CASE("heads, transposes and slices are multiplied in place (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(1);
    const Tensor x = random.normal({3, 20, 24}).to(Device::cuda),
                 y = random.normal({3, 17, 24}).to(Device::cuda);
    const Tensor q = heads_of(x, 4), k = heads_of(y, 4);
    check_product(q, transpose(k), "Q Kᵀ, two axes of batches that do not merge");
    check_product(transpose(q), q, "Qᵀ Q");
    check_product(x, transpose(y), "one axis of batches");
    check_product(x, random.normal({24, 5}).to(Device::cuda), "one right matrix for all");
    check_product(slice(x, 1, 3, 11), random.normal({24, 5}).to(Device::cuda), "rows that do not run on");
    check_product(random.normal({20, 24}).to(Device::cuda), transpose(x), "one left matrix for all");
    check_product(slice(x, 2, 5, 6), slice(y, 1, 4, 5), "one column, one row");
    check_product(random.normal({70000, 1, 2}).to(Device::cuda),
                  random.normal({70000, 2, 1}).to(Device::cuda), "more products than a call takes");
    check_product(heads_of(random.normal({1, 1, 66000 * 2}).to(Device::cuda), 66000),
                  random.normal({1, 66000, 2, 1}).to(Device::cuda), "as many heads");
}

TEST_CASE(
    "the gradients of a linear map over thousands of rows match the oracle, with reproducible bits (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(2);
    const index_t rows = 3000, in = 37, out = 70;
    const Tensor x = random.normal({rows, in}), W = random.normal({out, in}), dy = random.normal({rows, out});
    const auto run = [&](Device device, bool scattered) {
        const auto there = [&](const Tensor& t) {
            return scattered ? random.scattered(t, device) : t.to(device);
        };
        const Tensor p = there(x), U = there(W), d = there(dy);
        std::vector<Tensor> all = {Tensor::empty(x.shape(), device), Tensor::empty(W.shape(), device),
                                   Tensor::empty({out}, device)};
        backend(device).linear_backward(p.view(), U.view(), d.view(), all[0].writable(), all[1].writable(),
                                        all[2].writable());
        return all;
    };
    const std::vector<Tensor> expected = run(Device::oracle, false), once = run(Device::cuda, false);
    const Tolerance sums_of_3000 = in_double ? chain : Tolerance{3e-4, 3e-5};
    const char* const names[] = {"dx", "dW", "db"};
    for (const std::vector<Tensor>& actual : {once, run(Device::cuda, true)})
        for (std::size_t i = 0; i < 3; ++i) check_close(actual[i], expected[i], sums_of_3000, names[i]);
    check_close(once[2], expected[2], rounding, "db: its sums are rounded once");
    const std::vector<Tensor> again = run(Device::cuda, false);
    for (std::size_t i = 0; i < 3; ++i) check_close(again[i], once[i], exact, names[i]);
}

TEST_CASE("feed-forward in slabs of rows matches the oracle (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(3);
    const index_t width = index_t{1} << 20;  // only 8 rows of the hidden layer are held
    const Tensor x = random.normal({9, 1}), W1 = random.uniform({width, 1}, -1, 1);
    const Tensor W2 = random.uniform({1, width}, -1e-3, 1e-3), b2 = random.normal({1});
    const auto run = [&](Device device) {
        Tensor y = Tensor::empty({9, 1}, device);
        const Tensor p = x.to(device), U1 = W1.to(device), U2 = W2.to(device), c2 = b2.to(device);
        backend(device).feed_forward(p.view(), U1.view(), {}, Activation::relu, U2.view(), c2.view(),
                                     y.writable());
        return y;
    };
    check_close(run(Device::cuda), run(Device::oracle), in_double ? chain : Tolerance{1e-4, 1e-4}, "y");
}

TEST_CASE("bf16 rounds the factors to 8 bits and sums in float; fp32 is restored afterwards (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(4);
    for (const Shape& batch : {Shape{}, Shape{3}, Shape{2, 3}}) {
        const Tensor a = random.normal(batch.with_appended(33).with_appended(40));
        const Tensor b = random.normal(batch.with_appended(40).with_appended(20));
        const Tensor p = a.to(Device::cuda), q = random.scattered(b, Device::cuda);
        const Tensor whole = matmul(a.to(Device::oracle), b.to(Device::oracle));
        const Tensor rounded =
            matmul(rounded_to_bf16(a).to(Device::oracle), rounded_to_bf16(b).to(Device::oracle));
        {
            const Mode mode(Products::bf16);
            check_close(matmul(p, q), in_double ? whole : rounded, long_sums, "bf16");
        }
        check_close(matmul(p, q), whole, long_sums, "fp32");
    }
}

TEST_CASE("tf32 keeps 11 bits of each factor, also for misaligned heads (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Random random(5);
    const Mode mode(Products::tf32);
    const Tolerance eleven_digits =
        in_double ? rounding : Tolerance{2e-2, 1e-3};  // 50 terms with an error of 2⁻¹¹ each
    const auto check = [&](const Tensor& a, const Tensor& b, const std::string& what) {
        const Tensor expected = matmul(a.to(Device::oracle), b.to(Device::oracle));
        check_close(matmul(a, b), expected, eleven_digits, what);
    };
    check(random.normal({64, 50}).to(Device::cuda), random.normal({50, 32}).to(Device::cuda), "matrices");
    for (index_t d : {3, 8}) {
        const Tensor q = heads_of(random.normal({2, 12, 4 * d}).to(Device::cuda), 4);
        check(q, transpose(q), "Q Qᵀ");
        check(random.normal({2, 1, 12, 12}).to(Device::cuda), q, "A V, one A for all heads");
    }
}

TEST_CASE("bf16 propagates NaN and infinity (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    const Mode mode(Products::bf16);
    const Tensor a = Tensor({3, 2}, {NaN, 1, infinity, 1, 2, 3}).to(Device::cuda);
    const Tensor b = Tensor({2, 1}, {1, 2}).to(Device::cuda);
    check_close(matmul(a, b), Tensor({3, 1}, {NaN, infinity, 8}), exact.with_nan(), "a b");
}
