#include <glassbox/tensor/tensor.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <thread>

#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a tensor is made from a number, a row, rows, or a shape with values") {
    const Tensor scalar(real(2.5));
    CHECK(scalar.shape() == Shape{});
    CHECK(scalar.item() == real(2.5));
    CHECK(Tensor{1, 2, 3}.shape() == Shape{3});
    const Tensor matrix = {{1, 2, 3}, {4, 5, 6}};
    CHECK(matrix.shape() == Shape{2, 3});
    CHECK(matrix.at({1, 2}) == 6);
    CHECK(matrix.values() == std::vector<real>{1, 2, 3, 4, 5, 6});
    CHECK(Tensor({2, 1, 2}, {1, 2, 3, 4}).at({1, 0, 1}) == 4);
    const Tensor row = {{1, 2, 3}};
    CHECK(row.shape() == Shape{1, 3});
    check_close(Tensor::ones({2, 2}), {{1, 1}, {1, 1}}, exact, "ones");
    check_close(Tensor::full({3}, 7), {7, 7, 7}, exact, "full");
}

TEST_CASE("empty tensors and tensors of one element behave") {
    const Tensor empty = Tensor::zeros({3, 0, 2});
    CHECK(empty.defined());
    CHECK(empty.numel() == 0);
    CHECK(empty.values().empty());
    CHECK(empty.contiguous());
    CHECK(Tensor(Shape{0}, {}).values().empty());
    CHECK(Tensor({1, 1, 1}, {4}).item() == 4);
    CHECK(Tensor({1, 1, 1}, {4}).at({0, 0, 0}) == 4);
    CHECK(Tensor(real(4)).at(std::vector<index_t>{}) == 4);
}

TEST_CASE("an undefined tensor differs from a scalar, and its use is an error") {
    const Tensor undefined;
    const std::string message = "tensor: an undefined tensor was used: one declared but never given a value";
    CHECK_FALSE(undefined.defined());
    check_error([&] { undefined.values(); }, message);
    check_error([&] { undefined.item(); }, message);
    check_error([&] { undefined.at(std::vector<index_t>{}); }, message);
    check_error([&] { undefined.data(); }, message);
    check_error([&] { undefined.device(); }, message);
    check_error([&] { (void)undefined.to(Device::cpu); }, message);
    check_error([&] { undefined.alias({}, {}); }, message);
    check_error([&] { undefined.view(); }, message);
}

TEST_CASE("an undefined tensor has no shape, unlike a scalar") {
    const Tensor undefined;
    for (const auto& look : std::vector<std::function<void()>>{
             [&] { (void)undefined.shape(); }, [&] { (void)undefined.strides(); },
             [&] { (void)undefined.rank(); }, [&] { (void)undefined.numel(); },
             [&] { (void)undefined.size(0); }, [&] { (void)undefined.contiguous(); }})
        CHECK_THROWS_AS(look(), Error);
}

TEST_CASE("a tensor is made from a span, with a copy of its numbers") {
    std::array<real, 4> numbers{1, 2, 3, 4};
    const Tensor x({2, 2}, std::span<const real>(numbers));
    numbers[0] = 9;
    CHECK(x.values() == std::vector<real>{1, 2, 3, 4});
    const Tensor part({2}, std::span<const real>(numbers).subspan(1, 2));
    CHECK(part.values() == std::vector<real>{2, 3});
    check_error([&] { Tensor({3}, std::span<const real>(numbers)); },
                "tensor: shape (3,) has 3 elements, got 4 values");
}

TEST_CASE("a temporary's shape outlives it") {
    const Shape& shape = Tensor::zeros({2, 3}).shape();
    const Strides& strides = Tensor::zeros({2, 3}).strides();
    const Tensor next = Tensor::full({7, 7, 7}, 7);  // reuses the freed memory
    CHECK(shape == Shape{2, 3});
    CHECK(strides[0] == 3);
}

TEST_CASE("a tensor may be filled only by its sole owner: copies never change") {
    Tensor x = Tensor::zeros({2, 2});
    CHECK(x.holders() == 1);
    x.writable().data[0] = 5;
    {
        const Tensor copy = x;
        CHECK(x.holders() == 2);
        check_error(
            [&] { x.writable(); },
            "writable: 2 tensors hold these numbers of shape (2, 2), and a tensor never changes: fill a "
            "new one, Tensor::empty(shape)");
        const Tensor row = x.alias({2}, {1});
        CHECK(x.holders() == 3);
        CHECK(row.holders() == 3);
    }
    CHECK(x.holders() == 1);
    Tensor row = x.alias({2}, {1});
    CHECK_THROWS_AS(x.writable(), Error);
    CHECK_THROWS_AS(row.writable(), Error);
    x = Tensor();
    CHECK(row.holders() == 1);
    row.writable().data[1] = 6;
    CHECK(row.values() == std::vector<real>{5, 6});
}

TEST_CASE("a number outside the type's range is refused, infinity and NaN are not") {
    const double too_large = 1e300 * (sizeof(real) == 8 ? 1e8 : 1), infinite = INFINITY;
    if (sizeof(real) == 4) {
        check_error([&] { Tensor::full({2}, too_large); },
                    "full: 1e+300 is beyond 3.4028235e+38, the largest number of this build's type");
        CHECK_THROWS_AS(Tensor(-too_large), Error);
        CHECK(Tensor(3e38).item() == 3e38f);
    }
    CHECK(Tensor(infinite).item() == real(INFINITY));
    CHECK(std::isnan(Tensor(NAN).item()));
}

TEST_CASE("a list of lists gives rows, also of one number each, and a list takes numbers of any type") {
    CHECK(Tensor{{1}, {3}}.shape() == Shape{2, 1});
    CHECK(Tensor{{1}}.shape() == Shape{1, 1});
    CHECK(Tensor{1}.shape() == Shape{1});
    const double third = 1.0 / 3;
    CHECK(Tensor{third, 1}.values() == std::vector<real>{real(1.0 / 3), 1});
    if (sizeof(real) == 4)
        check_error(
            [] {
                Tensor{1, 1e300};
            },
            "tensor: 1e+300 is beyond 3.4028235e+38, the largest number of this build's type");
}

TEST_CASE("a list of lists of lists gives matrices of one shape") {
    const Tensor x{{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
    CHECK(x.shape() == Shape{2, 2, 3});
    CHECK(x.values() == std::vector<real>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(Tensor{{{1, 2}}}.shape() == Shape{1, 1, 2});
    check_error(
        [] {
            Tensor{{{1, 2}, {3, 4}}, {{5, 6}}};
        },
        "tensor: matrices differ in shape: (2, 2) and (1, 2)");
    check_error([] { Tensor{{{1, 2}, {3}}}; }, "tensor: rows differ in length: 2 and 1");
}

TEST_CASE("a list without rows, or of rows without numbers, is an empty matrix") {
    using Rows = std::initializer_list<std::initializer_list<real>>;
    CHECK(Tensor(Rows{}).shape() == Shape{0, 0});
    CHECK(Tensor(Rows{{}, {}}).shape() == Shape{2, 0});
}

TEST_CASE("an element is read at the last index of every axis, and not beyond") {
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(x.at({1, 2}) == 6);
    CHECK(x.at({0, 0}) == 1);
    check_error([&] { x.at({2, 0}); }, "at: index 2 on axis 0 of shape (2, 3)");
    check_error([&] { x.at({0, 3}); }, "at: index 3 on axis 1 of shape (2, 3)");
    check_error([&] { x.at({1, -1}); }, "at: index -1 on axis 1 of shape (2, 3)");
    check_error([&] { x.at({1}); }, "at: 1 indices for shape (2, 3)");
    check_error([] { Tensor::zeros({0}).item(); }, "item: expected one element, got shape (0,)");
}

TEST_CASE("the largest number of the type is accepted, with either sign") {
    const double largest = static_cast<double>(std::numeric_limits<real>::max());
    CHECK(Tensor::full({2}, largest).values() == std::vector<real>(2, std::numeric_limits<real>::max()));
    CHECK(Tensor(-largest).item() == std::numeric_limits<real>::lowest());
    CHECK(in_range("here", 0) == 0);
    if (sizeof(real) == 4)
        check_error([&] { in_range("here", -1e39); },
                    "here: -1e+39 is beyond 3.4028235e+38, the largest number of this build's type");
}

TEST_CASE("identities go up with every tensor made by a thread, those of two threads never meet") {
    const Tensor::Id before = Tensor::latest_id();
    const Tensor x = Tensor::zeros({2});
    CHECK(x.id() == before + 1);
    CHECK(x.alias({1}, {1}).id() == before + 2);
    CHECK(Tensor::latest_id() == before + 2);
    Tensor::Id there = 0;
    std::thread([&] { there = Tensor::zeros({1}).id(); }).join();
    CHECK((there >> 44) != (before >> 44));
    CHECK(Tensor::latest_id() == before + 2);
}

TEST_CASE("mismatched contents and positions are refused with both sides") {
    check_error([] { Tensor({2, 2}, {1, 2, 3}); }, "tensor: shape (2, 2) has 4 elements, got 3 values");
    check_error([] { Tensor{{1, 2}, {3}}; }, "tensor: rows differ in length: 2 and 1");
    check_error([] { Tensor{1, 2}.item(); }, "item: expected one element, got shape (2,)");
    check_error([] { Tensor{1, 2}.at({2}); }, "at: index 2 on axis 0 of shape (2,)");
    check_error([] { Tensor{1, 2}.at({-1}); }, "at: index -1 on axis 0 of shape (2,)");
    check_error([] { Tensor{1, 2}.at({0, 0}); }, "at: 2 indices for shape (2,)");
    check_error([] { Tensor{1, 2}.size(1); }, "shape: (2,) has no axis 1");
}

TEST_CASE("sizes beyond any memory are an error, not a crash") {
    // The product of elements and bytes overflows here: 2^62 floats are 2^64 bytes.
    const Shape shape{index_t{1} << 31, index_t{1} << 31};
    CHECK_THROWS_AS(Tensor::empty(shape), Error);
    CHECK_THROWS_AS(Tensor::zeros(shape), Error);
    CHECK_THROWS_AS(Tensor::empty({index_t{1} << 61}), Error);
    CHECK_THROWS_AS(Tensor::zeros({index_t{1} << 61}), Error);
    CHECK_THROWS_AS(Tensor::zeros({std::numeric_limits<index_t>::max()}), Error);
}

TEST_CASE("full fills every element, however many") {
    for (index_t n : {1, 1023, 1024, 1025, 100000}) {
        const std::vector<real> values = Tensor::full({n}, 3).values();
        CHECK(static_cast<index_t>(values.size()) == n);
        CHECK(values == std::vector<real>(values.size(), 3));
    }
}

TEST_CASE("copies share storage and id; every new tensor has its own id") {
    const Tensor x = {1, 2, 3};
    const Tensor copy = x;
    CHECK(copy.id() == x.id());
    CHECK(copy.shares_storage_with(x));
    const Tensor same_numbers = {1, 2, 3};
    CHECK(same_numbers.id() != x.id());
    CHECK_FALSE(same_numbers.shares_storage_with(x));
    const Tensor view = x.alias(x.shape(), x.strides());
    CHECK(view.id() != x.id());
    CHECK(view.shares_storage_with(x));
    CHECK(Tensor().id() != x.id());
}

TEST_CASE("an alias reads the same storage under other shape, strides and offset") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    check_close(x.alias({3, 2}, {1, 3}), {{1, 4}, {2, 5}, {3, 6}}, exact, "transposed");
    check_close(x.alias({2}, {3}, 1), {2, 5}, exact, "column 1");
    check_close(x.alias({2}, {3}, 1).alias({}, {}, 3), Tensor(real(5)), exact, "offsets add up");
    check_close(x.alias({2, 2}, {0, 1}, 3), {{4, 5}, {4, 5}}, exact, "repeated");
    CHECK(x.alias({3, 2}, {1, 3}).at({2, 1}) == 6);
    CHECK_FALSE(x.alias({3, 2}, {1, 3}).contiguous());
}

DEVICE_TEST("a tensor is copied to a device and back, and not copied to its own") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    const Tensor there = x.to(device);
    CHECK(there.device() == device);
    CHECK(there.to(device).id() == there.id());
    check_close(there.to(Device::cpu), x, exact, "there and back");
    CHECK(there.at({1, 0}) == 4);
    check_close(transpose(there).to(Device::cpu), transpose(x), exact, "a view moves as it reads");
    check_close(Tensor::full({2, 2}, 3, device), {{3, 3}, {3, 3}}, exact, "made there");
    CHECK(Tensor::zeros({0, 2}, device).to(Device::cpu).shape() == Shape{0, 2});
}

TEST_CASE("an unavailable device is named in the error") {
    if (is_available(Device::cuda)) SKIP("this build has CUDA");
    check_error([] { (void)Tensor{1}.to(Device::cuda); },
                "device cuda: this build of Glassbox has no CUDA kernels; build it with GLASSBOX_CUDA=ON, or "
                "use the cpu");
}

DEVICE_TEST("values come in row-major order for any strides") {
    for_seeds(30, [&](Random& random) {
        const Tensor x = random.normal(random.shape(0, 8, 3));
        check_close(random.scattered(x, device), x, exact, "scattered");
    });
}
