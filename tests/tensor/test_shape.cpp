#include <glassbox/tensor/shape.h>

#include <sstream>
#include <vector>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a shape is indexed from both ends") {
    const Shape shape{2, 3, 5};
    CHECK(shape.rank() == 3);
    CHECK(shape[0] == 2);
    CHECK(shape[-1] == 5);
    CHECK(shape[-3] == 2);
    CHECK(shape.axis(-1) == 2);
    CHECK(shape.numel() == 30);
    CHECK(shape.to_vector() == std::vector<index_t>{2, 3, 5});
}

TEST_CASE("a scalar's shape has no axes and one element; an axis of 0 makes a shape empty") {
    CHECK(Shape{}.numel() == 1);
    CHECK(Shape{}.rank() == 0);
    CHECK(Shape{4, 0, 2}.numel() == 0);
}

TEST_CASE("shapes print as in Python") {
    CHECK(Shape{}.str() == "()");
    CHECK(Shape{3}.str() == "(3,)");
    CHECK(Shape{3, 2}.str() == "(3, 2)");
}

TEST_CASE("shapes are equal when ranks and sizes are") {
    CHECK(Shape{2, 3} == Shape{2, 3});
    CHECK(Shape{2, 3} != Shape{3, 2});
    CHECK(Shape{2} != Shape{2, 1});
    CHECK(Shape{2, 3, 4}.leading(2) == Shape{2, 3});
    CHECK(Shape{2, 3, 4}.leading(0) == Shape{});
    CHECK(Shape{2, 3}.with(-1, 7) == Shape{2, 7});
    CHECK(Shape{2, 3, 4}.without(1) == Shape{2, 4});
    CHECK(Shape{2, 3}.with_appended(4) == Shape{2, 3, 4});
}

TEST_CASE("invalid shapes are refused with the reason") {
    check_error([] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }, "shape: at most 8 axes, got 9");
    check_error([] { Shape{2, -1}; }, "shape: sizes must not be negative, got (2, -1)");
    const index_t huge = index_t{1} << 40;
    check_error(
        [&] {
            Shape{huge, huge};
        },
        "shape: (1099511627776, 1099511627776) has more elements than can be counted");
    check_error(
        [&] {
            Shape{huge, 0, huge};
        },
        "shape: (1099511627776, 0, 1099511627776) has more elements than can be counted");
    check_error([] { Shape{2}[1]; }, "shape: (2,) has no axis 1");
    check_error([] { Shape{2}[-2]; }, "shape: (2,) has no axis -2");
    check_error([] { Shape{}[0]; }, "shape: () has no axis 0");
    check_error([] { Shape{2}.leading(2); }, "shape: (2,) has no 2 leading axes");
    check_error([] { Shape{2}.with(0, -3); }, "shape: sizes must not be negative, got (-3,)");
    check_error([] { Shape{1, 1, 1, 1, 1, 1, 1, 1}.with_appended(2); }, "shape: at most 8 axes, got 9");
}

TEST_CASE("eight axes are accepted, all leading axes too, and sizes up to what can be counted") {
    const Shape eight{1, 2, 1, 1, 1, 1, 1, 3};
    CHECK(eight.rank() == 8);
    CHECK(Shape(std::vector<index_t>(8, 1)).numel() == 1);
    CHECK(Shape({1, 2, 1, 1, 1, 1, 1}).with_appended(3) == eight);
    CHECK(eight.leading(8) == eight);
    CHECK(Shape{}.leading(0) == Shape{});
    check_error([&] { eight.leading(-1); }, "shape: (1, 2, 1, 1, 1, 1, 1, 3) has no -1 leading axes");
    CHECK(Shape{index_t{1} << 31, (index_t{1} << 31) - 1}.numel() > 0);
    CHECK(Shape{index_t{1} << 62}.numel() == index_t{1} << 62);
    check_error(
        [] {
            Shape{index_t{1} << 62, 2};
        },
        "shape: (4611686018427387904, 2) has more elements than can be counted");
    CHECK(Shape{2, 0, 3}.with(1, 4).numel() == 24);
    CHECK(Shape{2, 3, 4}.without(0) == Shape{3, 4});
    CHECK(Shape{2, 3, 4}.without(-1) == Shape{2, 3});
    CHECK(Shape{0}.with_appended(0) == Shape{0, 0});
    check_error([] { Shape{2}.with_appended(-1); }, "shape: sizes must not be negative, got (2, -1)");
    check_error([] { Shape{2}.with(1, 3); }, "shape: (2,) has no axis 1");
    check_error([] { Shape{2}.without(-2); }, "shape: (2,) has no axis -2");
    std::ostringstream out;
    out << Shape{2, 3};
    CHECK(out.str() == "(2, 3)");
}

TEST_CASE("strides of a contiguous array") {
    const Strides strides = contiguous_strides({2, 3, 4});
    CHECK(strides[0] == 12);
    CHECK(strides[1] == 4);
    CHECK(strides[2] == 1);
}

TEST_CASE("strides of axes of size 1 do not affect contiguity") {
    CHECK(is_contiguous({3, 1, 4}, {4, 77, 1}));
    CHECK(is_contiguous({1, 4}, {-5, 1}));
    CHECK(is_contiguous({}, {}));
    CHECK(is_contiguous({0, 4}, {9, 9}));
    CHECK_FALSE(is_contiguous({3, 4}, {5, 1}));
    CHECK_FALSE(is_contiguous({3, 4}, {1, 3}));
    CHECK_FALSE(is_contiguous({3}, {0}));
    CHECK(is_contiguous({3}, {1}));
    CHECK(is_contiguous({2, 3}, {3, 1}));
    CHECK(is_contiguous({2, 0}, {1, 1}));
    CHECK(is_contiguous({0}, {7}));
    CHECK_FALSE(is_contiguous({2, 3}, {3, 2}));
    CHECK_FALSE(is_contiguous({2, 1, 3}, {4, 1, 1}));
}

TEST_CASE("broadcasting aligns the last axes and stretches those of size 1") {
    CHECK(broadcast_shapes("add", {3, 1}, {4}) == Shape{3, 4});
    CHECK(broadcast_shapes("add", {}, {2, 3}) == Shape{2, 3});
    CHECK(broadcast_shapes("add", {1}, {0}) == Shape{0});
    CHECK(broadcast_shapes("add", {0}, {1}) == Shape{0});
    CHECK(broadcast_shapes("add", {2, 3}, {3}) == Shape{2, 3});
    CHECK(broadcast_shapes("add", {3}, {2, 1}) == Shape{2, 3});
    CHECK(broadcast_shapes("add", {1, 1}, {1}) == Shape{1, 1});
    check_error(
        [] {
            broadcast_shapes("mul", {2, 5, 3}, {4, 1});
        },
        "mul: shapes do not broadcast, axis -2 has 5 and 4: (2, 5, 3) and (4, 1)");
    CHECK(broadcast_shapes("add", {5, 1, 2}, {1, 4, 1}) == Shape{5, 4, 2});
    check_error(
        [] {
            broadcast_shapes("add", {2, 3}, {2, 4});
        },
        "add: shapes do not broadcast, axis -1 has 3 and 4: (2, 3) and (2, 4)");
    check_error([] { broadcast_shapes("add", {0}, {2}); },
                "add: shapes do not broadcast, axis -1 has 0 and 2: (0,) and (2,)");
}

TEST_CASE("a broadcast axis has stride 0") {
    const Strides strides = broadcast_strides({3, 1}, {1, 1}, {2, 3, 4});
    CHECK(strides[0] == 0);
    CHECK(strides[1] == 1);
    CHECK(strides[2] == 0);
    const Strides same = broadcast_strides({2, 1}, {7, 5}, {2, 1});  // an axis of 1 that stays one
    CHECK(same[0] == 7);
    CHECK(same[1] == 5);
    CHECK(broadcast_strides({1, 3}, {7, 1}, {2, 1, 3})[1] == 7);
    CHECK(broadcast_strides({5, 1}, {1, 9}, {1, 5, 4})[2] == 0);
}
