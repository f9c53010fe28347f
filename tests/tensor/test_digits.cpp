// Numbers as text, digit by digit, and how arrays are cut, wrapped and aligned at the limits of a style.
#include <glassbox/tensor/print.h>
#include <glassbox/tensor/words.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "support/catch.h"
#include "support/compare.h"

using namespace glassbox;
using glassbox_test::infinity;

namespace {

std::string text_of(const Tensor& x, int threshold, int edge, int width) {
    PrintStyle style;
    style.threshold = threshold, style.edge = edge, style.width = width;
    return to_text(x, style);
}

// 1 … n in this shape.
Tensor counted_up(const Shape& shape) {
    std::vector<real> values(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<real>(i + 1);
    return Tensor(shape, values);
}

}  // namespace

TEST_CASE(
    "positional digits: the point always, at most so many after it, rounded, without zeros at the end") {
    struct Case {
        double value;
        int precision;
        const char* text;
    };
    for (const auto& [value, precision, text] : {
             Case{1, 8, "1."},
             {0, 8, "0."},
             {-0.0, 8, "-0."},
             {100, 0, "100."},
             {0.5, 8, "0.5"},
             {0.5, 1, "0.5"},
             {0.5, 0, "0."},
             {1.5, 0, "2."},
             {0.125, 3, "0.125"},
             {0.125, 2, "0.12"},
             {0.375, 2, "0.38"},
             {0.375, 4, "0.375"},
             {0.9990234375, 2, "1."},
             {10.25, 1, "10.2"},
             {-10.75, 1, "-10.8"},
             {2.0009765625, 2, "2."},
             {0.70056266, 8, "0.70056266"},
         })
        CHECK(positional(static_cast<real>(value), precision) == text);
}

TEST_CASE("scientific digits: a point only before digits, at least and at most so many of them") {
    struct Case {
        double value;
        int precision, min_digits;
        const char* text;
    };
    for (const auto& [value, precision, min_digits, text] : {
             Case{1e5, 8, 0, "1e+05"},
             {1e5, 8, 1, "1.0e+05"},
             {1e5, 8, 3, "1.000e+05"},
             {125000, 8, 0, "1.25e+05"},
             {125000, 8, 2, "1.25e+05"},
             {125000, 8, 3, "1.250e+05"},
             {125000, 2, 0, "1.25e+05"},
             {125000, 1, 0, "1.2e+05"},
             {137500, 1, 0, "1.4e+05"},
             {125000, 0, 0, "1e+05"},
             {199600, 2, 0, "2e+05"},
             {199600, 2, 2, "2.00e+05"},
             {199600, 2, 1, "2e+05"},
             {120400, 2, 0, "1.2e+05"},
             {-125000, 1, 1, "-1.2e+05"},
             {0, 8, 0, "0e+00"},
             {0.000030517578125, 4, 0, "3.0518e-05"},
         })
        CHECK(scientific(static_cast<real>(value), precision, min_digits) == text);
    CHECK(scientific(real(1e5), 3) == "1e+05");
}

TEST_CASE("numbers that are not finite have a word each") {
    CHECK(not_finite(infinity) == "inf");
    CHECK(not_finite(-infinity) == "-inf");
    CHECK(not_finite(static_cast<real>(NAN)) == "nan");
    CHECK(to_text(Tensor{static_cast<real>(NAN), 1, infinity, -infinity}) == "[ nan   1.  inf -inf]");
}

TEST_CASE("an array is summarised beyond its threshold, and an axis beyond both of its ends") {
    CHECK(text_of(counted_up({4}), 4, 1, 75) == "[1. 2. 3. 4.]");
    CHECK(text_of(counted_up({5}), 4, 1, 75) == "[1. ... 5.]");
    CHECK(text_of(counted_up({5}), 4, 2, 75) == "[1. 2. ... 4. 5.]");
    CHECK(text_of(counted_up({4}), 3, 2, 75) == "[1. 2. 3. 4.]");
    CHECK(text_of(counted_up({6}), 3, 2, 75) == "[1. 2. ... 5. 6.]");
    CHECK(text_of(counted_up({2, 3}), 6, 1, 75) == "[[1. 2. 3.]\n [4. 5. 6.]]");
    CHECK(text_of(counted_up({2, 3}), 5, 1, 75) == "[[1. ... 3.]\n [4. ... 6.]]");
    CHECK(text_of(counted_up({3, 2}), 5, 1, 75) == "[[1. 2.]\n ...\n [5. 6.]]");
    CHECK(text_of(counted_up({3, 3}), 5, 1, 75) == "[[1. ... 3.]\n ...\n [7. ... 9.]]");
    // By default: more than 1000, three at each end. Hidden numbers do not widen the columns.
    const std::string thousand = to_text(counted_up({1000}));
    CHECK(thousand.find("...") == std::string::npos);
    CHECK(to_text(counted_up({1001})) == "[1.000e+00 2.000e+00 3.000e+00 ... 9.990e+02 1.000e+03 1.001e+03]");
    Tensor wide = Tensor::zeros({1007});
    wide.writable().data[500] = 123456;
    CHECK(to_text(wide) == "[0. 0. 0. ... 0. 0. 0.]");
}

TEST_CASE("blocks of several axes are apart by a line less than they have axes, also where they are cut") {
    CHECK(to_text(counted_up({2, 1, 2})) == "[[[1. 2.]]\n\n [[3. 4.]]]");
    CHECK(to_text(counted_up({1, 2, 1})) == "[[[1.]\n  [2.]]]");
    CHECK(to_text(counted_up({2, 1, 1, 1})) == "[[[[1.]]]\n\n\n [[[2.]]]]");
    CHECK(text_of(counted_up({3, 2, 1}), 5, 1, 75) == "[[[1.]\n  [2.]]\n\n ...\n\n [[5.]\n  [6.]]]");
}

TEST_CASE("a line is as wide as its style, with room for the brackets of every axis, and then goes on") {
    // "[1. 2. 3." are 9 characters, and a bracket.
    CHECK(text_of(counted_up({4}), 99, 3, 10) == "[1. 2. 3.\n 4.]");
    CHECK(text_of(counted_up({4}), 99, 3, 9) == "[1. 2.\n 3. 4.]");
    CHECK(text_of(counted_up({4}), 99, 3, 13) == "[1. 2. 3. 4.]");
    CHECK(text_of(counted_up({4}), 99, 3, 12) == "[1. 2. 3.\n 4.]");
    CHECK(text_of(counted_up({1, 4}), 99, 3, 15) == "[[1. 2. 3. 4.]]");
    CHECK(text_of(counted_up({1, 4}), 99, 3, 14) == "[[1. 2. 3.\n  4.]]");
    CHECK(text_of(counted_up({1, 4}), 99, 3, 13) == "[[1. 2. 3.\n  4.]]");
    CHECK(text_of(counted_up({5}), 4, 1, 11) == "[1. ... 5.]");
    CHECK(text_of(counted_up({5}), 4, 1, 10) == "[1. ...\n 5.]");
    CHECK(text_of(counted_up({5}), 4, 1, 7) == "[1.\n ...\n 5.]");
    CHECK(text_of(counted_up({2}), 99, 3, 1) == "[1.\n 2.]");  // a number is never cut
}

TEST_CASE("scientific notation begins at a million, below 1e-4, and beyond a ratio of 1000") {
    CHECK(to_text(Tensor{1000, 999999}) == "[  1000. 999999.]");
    if (sizeof(real) == 4) CHECK(to_text(Tensor{1000, 1000000}) == "[1.e+03 1.e+06]");
    CHECK(to_text(Tensor{real(1e-4)}) == "[0.0001]");
    CHECK(to_text(Tensor{real(9.5e-5)}) == "[9.5e-05]");
    CHECK(to_text(Tensor{1, 1000}) == "[   1. 1000.]");
    CHECK(to_text(Tensor{1, 1001}) == "[1.000e+00 1.001e+03]");
    CHECK(to_text(Tensor{-1, real(-0.0009765625)}) == "[-1.000000e+00 -9.765625e-04]");  // 1024 times
    CHECK(to_text(Tensor{0, 0}) == "[0. 0.]");
    CHECK(to_text(Tensor{0, 5}) == "[0. 5.]");  // a 0 has no magnitude
}

TEST_CASE("a number is a hidden score from −1e14 down, if it is finite") {
    const real limit = real(-1e14);
    CHECK(is_hidden_score(limit));
    CHECK(is_hidden_score(real(-9e15)));
    CHECK_FALSE(is_hidden_score(std::nextafter(limit, real(0))));
    CHECK_FALSE(is_hidden_score(real(1e14)));
    CHECK_FALSE(is_hidden_score(-std::numeric_limits<real>::infinity()));
    CHECK_FALSE(is_hidden_score(static_cast<real>(NAN)));
}

TEST_CASE("whole numbers are those that a float has exactly") {
    PrintStyle style;
    style.whole = true;
    CHECK(to_text(Tensor{16777216, 1}, style) == "[16777216        1]");
    CHECK(to_text(Tensor{-16777216}, style) == "[-16777216]");
    CHECK(to_text(Tensor{16777218}, style) == (glassbox_test::in_double ? "[16777218.]" : "[1.6777218e+07]"));
    CHECK(to_text(Tensor{7}, style) == "[7]");
    CHECK(to_text(Tensor{real(7.5)}, style) == "[7.5]");
}

TEST_CASE("a tensor's format takes any number of digits from 0 on") {
    const Tensor x{real(1.5), real(2.25)};
    CHECK(fmt::format("{:.0}", x) == "[2. 2.]");
    CHECK(fmt::format("{:.1}", x) == "[1.5 2.2]");
    CHECK(fmt::format("{:.2}", x) == "[1.5  2.25]");
    CHECK(fmt::format("{}", x) == "[1.5  2.25]");
    CHECK(fmt::format("{:.12}", Tensor{real(0.5)}) == "[0.5]");
}

TEST_CASE("a decoration stands around each number, which keeps its width") {
    PrintStyle style;
    style.decorate = [](const std::string& text, real value) { return value < 0 ? '<' + text + '>' : text; };
    CHECK(to_text(Tensor{{1, -10}, {-2, 3}}, style) == "[[  1. <-10.>]\n [< -2.>   3.]]");
    CHECK(to_text(Tensor(real(-1)), style) == "<-1.>");
}

TEST_CASE("a count has its noun in the singular for 1 only, regular or not") {
    CHECK(counted(0, "step") == "0 steps");
    CHECK(counted(1, "step") == "1 step");
    CHECK(counted(2, "step") == "2 steps");
    CHECK(counted(1, "query", "queries") == "1 query");
    CHECK(counted(3, "query", "queries") == "3 queries");
    CHECK(counted(-1, "step") == "-1 steps");
}
