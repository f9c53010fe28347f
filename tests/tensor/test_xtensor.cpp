#include <glassbox/tensor/xtensor.h>

#include <functional>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a tensor is made from any xtensor expression") {
    const xt::xarray<real> a = {{1, 2, 3}, {4, 5, 6}};
    check_close(from_xtensor(a), {{1, 2, 3}, {4, 5, 6}}, exact, "container");
    check_close(from_xtensor(a * 2 + 1), {{3, 5, 7}, {9, 11, 13}}, exact, "expression");
    check_close(from_xtensor(xt::transpose(a)), {{1, 4}, {2, 5}, {3, 6}}, exact, "view");
    const xt::xarray<int> whole = {1, 2};
    check_close(from_xtensor(whole), {1, 2}, exact, "other number type");
    check_close(from_xtensor(xt::sum(a)), Tensor(real(21)), exact, "scalar");
    CHECK(from_xtensor(xt::xarray<real>::from_shape({0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("an xtensor view reads the tensor's memory in place, for any strides") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    const auto view = xtensor_view(x);
    CHECK(&view(0, 0) == x.data());
    CHECK(view(1, 2) == 6);
    const Tensor column = slice(x, 1, 1, 2);  // (2, 1)
    const auto column_view = xtensor_view(column);
    CHECK(&column_view(0, 0) == x.data() + 1);
    CHECK(column_view(1, 0) == 5);
    CHECK(xt::sum(column_view)() == Approx(7));
    const Tensor t = transpose(x);
    const auto t_view = xtensor_view(t);
    CHECK(&t_view(0, 0) == x.data());
    CHECK(t_view(2, 1) == 6);
    CHECK(xt::sum(t_view)() == Approx(21));
    const Tensor repeated = broadcast_to(Tensor{{1, 2}}, {3, 2});
    CHECK(xtensor_view(repeated)(2, 1) == 2);
    CHECK(xt::sum(xtensor_view(repeated))() == Approx(9));
    const Tensor three(3), none = Tensor::zeros({2, 0});
    CHECK(xtensor_view(three)() == 3);
    CHECK(xtensor_view(none).size() == 0);
}

TEST_CASE("an xtensor expression that a tensor cannot represent is refused, not rounded silently") {
    if (sizeof(real) == 4) {
        const xt::xarray<double> large = {1, 1e300};
        check_error([&] { from_xtensor(large); },
                    "from_xtensor: 1e+300 is beyond 3.4028235e+38, the largest number of this build's type");
        const xt::xarray<int> odd = {16777216, 16777217};
        check_error([&] { from_xtensor(odd); },
                    "from_xtensor: 16777217 is an integer that this build's type cannot hold exactly");
    }
    const xt::xarray<double> infinite = {1, -INFINITY, 0.1};
    CHECK(from_xtensor(infinite).values() == std::vector<real>{1, -real(INFINITY), real(0.1)});
    const xt::xarray<int> whole = {16777216, -3};
    CHECK(from_xtensor(whole).values() == std::vector<real>{16777216, -3});
    const xt::xarray<bool> visible = {true, false};
    CHECK(from_xtensor(visible).values() == std::vector<real>{1, 0});
}

TEST_CASE("expressions over xtensor views become tensors") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    const Tensor t = transpose(x);
    check_close(from_xtensor(xtensor_view(t) * 10), {{10, 40}, {20, 50}, {30, 60}}, exact, "10 xᵀ");
    const Tensor block = slice(x, 1, 1, 3);
    check_close(from_xtensor(xtensor_view(block) + xtensor_view(block)), {{4, 6}, {10, 12}}, exact,
                "2 x[:, 1:]");
    const Tensor repeated = broadcast_to(Tensor{1, 2}, {3, 2});
    check_close(from_xtensor(xtensor_view(repeated) * 3), {{3, 6}, {3, 6}, {3, 6}}, exact, "repeated rows");
}

TEST_CASE("a copy as an xtensor container has the tensor's shape and numbers") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    const xt::xarray<real> copy = to_xtensor(transpose(x));
    CHECK(copy.shape(0) == 3);
    CHECK(copy.shape(1) == 2);
    CHECK(copy(2, 0) == 3);
    CHECK(to_xtensor(Tensor(real(4)))() == 4);
    CHECK(to_xtensor(Tensor::zeros({0})).size() == 0);
    const xt::xarray<real> column = to_xtensor(slice(x, 1, 1, 2)),
                           repeated = to_xtensor(broadcast_to(x, {2, 2, 3}));
    CHECK(column(1, 0) == 5);
    CHECK(repeated(1, 1, 2) == 6);
    CHECK(repeated.layout() == xt::layout_type::row_major);
    CHECK(xt::xarray<real>(copy)(0, 1) == 4);
    CHECK(to_xtensor(transpose(x)).data()[1] == 4);  // row-major of its own, whatever the tensor's strides
}

TEST_CASE("an xtensor view of a tensor on another device is refused, a copy is not") {
    devices();
    const Tensor x = Tensor{1, 2}.to(Device::oracle);
    check_error([&] { xtensor_view(x); },
                "xtensor_view: the tensor must be on the cpu: call x.to(Device::cpu)");
    CHECK(to_xtensor(x)(1) == 2);
}

namespace {

// Counts the bytes of tensors that are made.
class Counting : public Memory {
  public:
    void* allocate(std::size_t bytes) override {
        count += bytes;
        return cpu_memory().allocate(bytes);
    }
    void release(void* block, std::size_t bytes) noexcept override { cpu_memory().release(block, bytes); }
    void to_host(void* host, const void* block, std::size_t bytes) override {
        cpu_memory().to_host(host, block, bytes);
    }
    void from_host(void* block, const void* host, std::size_t bytes) override {
        cpu_memory().from_host(block, host, bytes);
    }
    void fill(real* block, real value, index_t n) override { cpu_memory().fill(block, value, n); }

    std::size_t count = 0;
};

}  // namespace

TEST_CASE("between tensors and xtensor no tensor is made but the result") {
    const Tensor x = Tensor::ones({8, 8});
    const Tensor t = transpose(x);
    const xt::xarray<real> a = to_xtensor(x);
    Counting memory;
    set_memory(Device::cpu, &memory);
    const auto bytes_of = [&](const std::function<void()>& f) {
        memory.count = 0;
        f();
        return memory.count;
    };
    const std::size_t one = 64 * sizeof(real);
    CHECK(bytes_of([&] { (void)xtensor_view(x), (void)xtensor_view(t); }) == 0);
    CHECK(bytes_of([&] { (void)to_xtensor(x), (void)to_xtensor(t); }) == 0);
    CHECK(bytes_of([&] { from_xtensor(a); }) == one);
    CHECK(bytes_of([&] { from_xtensor(xtensor_view(x) * a + xtensor_view(t)); }) == one);
    set_memory(Device::cpu, &cpu_memory());
}
