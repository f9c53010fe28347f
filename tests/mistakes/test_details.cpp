// The parts of a diagnosis by themselves: numbers that are compared, layouts, parts of a step, and what is
// said.
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/tolerance.h>
#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/mistakes/layout.h>
#include <glassbox/mistakes/precision.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using glassbox_test::check_error;

namespace {

std::string looks(const Tensor& mine, const Tensor& right, double tolerance = 1e-6) {
    return looks_like(mine, right, std::vector<double>(static_cast<std::size_t>(right.numel()), tolerance));
}

// 1, 2, 3 … with changing signs, so that no simple rule relates them.
Tensor some(const Shape& shape) {
    std::vector<real> values;
    for (index_t i = 0; i < shape.numel(); ++i)
        values.push_back(static_cast<real>((i % 3 == 1 ? -1 : 1) * (1 + i * i % 17 + i)));
    return Tensor(shape, values);
}

Tensor with(const Tensor& x, const std::vector<std::pair<std::size_t, double>>& changes) {
    std::vector<real> values = x.values();
    for (const auto& [i, value] : changes) values.at(i) = static_cast<real>(value);
    return Tensor(x.shape(), values);
}

std::vector<std::string> layouts(const Shape& given, const Shape& expected, SubmittedLayout layout) {
    std::vector<std::string> found;
    for (const Rearranged& each : rearrangements({"", some(given), {}, layout}, expected)) {
        CHECK(each.value.shape() == expected);
        CHECK(each.half_width.empty());
        found.push_back(each.how);
    }
    return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("details: numbers are equal up to their own tolerance and half width, at its limit too") {
    const Tensor right{1, 2, 4, 8};
    const WithinTolerance same = compare(right, right, {0, 0, 0, 0});
    CHECK((same.agrees && same.misfit == 0 && same.count == 0));
    const WithinTolerance at_limit = compare(Tensor{1.5, 2, 4, 7.5}, right, {0.5, 0, 0, 0.5});
    CHECK((at_limit.agrees && at_limit.misfit == 1 && at_limit.count == 0));
    const WithinTolerance beyond = compare(Tensor{1.5, 2.25, 4, 7}, right, {0.5, 0.125, 0, 0.5});
    CHECK((!beyond.agrees && beyond.misfit == 2 && beyond.first == 1 && beyond.count == 2));
    CHECK(compare(Tensor{1.5, 2, 4, 8}, right, {0.25, 0, 0, 0}, {0.25, 0, 0, 0}).agrees);
    CHECK_FALSE(compare(Tensor{1.5, 2, 4, 8}, right, {0.25, 0, 0, 0}, {0.125, 0, 0, 0}).agrees);
    CHECK(compare(Tensor{1.5, 2, 4, 8}, right, {0.25, 0, 0, 0}, {0.25}).agrees);  // none for the others
    CHECK(compare(Tensor{NAN}, Tensor{NAN}, {0}).agrees);
    CHECK(compare(Tensor{INFINITY}, Tensor{INFINITY}, {0}).agrees);
    for (const double other : {0.0, static_cast<double>(INFINITY)}) {
        CHECK(compare(Tensor{other}, Tensor{NAN}, {1e9}).misfit == INFINITY);
        CHECK(compare(Tensor{NAN}, Tensor{other}, {1e9}).count == 1);
    }
    CHECK_FALSE(compare(Tensor{INFINITY}, Tensor{1}, {1e9}).agrees);
}

TEST_CASE(
    "details: a number that no rounding moved is allowed eight roundings of itself or its row's median") {
    const Computation none{[] { (void)scaled_dot_product(Tensor{{1}}, Tensor{{1}}, Tensor{{1}}); }, "values"};
    const Tolerances tolerances(none, {}, library_precision());
    const double unit = library_precision().unit, smallest = library_precision().smallest;
    const auto check_allowed = [&](const Tensor& value, const std::vector<double>& sizes) {
        const std::vector<double> found = tolerances.at("no such step", value);
        REQUIRE(found.size() == sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i)
            CHECK(found[i] == Approx(smallest + 8 * unit * sizes[i]).epsilon(1e-9).margin(0));
    };
    check_allowed(Tensor{{1, 4, -2}, {0, INFINITY, 8}}, {2, 4, 2, 8, 0, 8});
    check_allowed(Tensor{{-1, NAN}}, {1, 0});
    check_allowed(Tensor(real(3)), {3});
    check_allowed(Tensor::zeros({2, 2}), {0, 0, 0, 0});
}

TEST_CASE("details: how many digits agree is said of the largest number and the largest difference") {
    CHECK(digits_in_common(Tensor{1, 1024}, Tensor{1, 1024}) == 15);
    CHECK(digits_in_common(Tensor{1, 1025}, Tensor{1, 1024}) == 3);
    CHECK(digits_in_common(Tensor{2, 1024}, Tensor{1, 1024}) == 3);
    CHECK(digits_in_common(Tensor{1, 1024}, Tensor{1, 1}) == -4);
    CHECK(digits_in_common(Tensor{1.5, 128}, Tensor{1, 128}) == 2);
    CHECK(digits_in_common(Tensor{1, INFINITY}, Tensor{1.5, 2}) == 0);
    CHECK(digits_in_common(Tensor{1, 5}, Tensor{1, -INFINITY}) == 15);  // only the first is compared
    CHECK(digits_in_common(Tensor{1, 0}, Tensor{1, -2e9}) == 15);       // a hidden score
    CHECK(digits_in_common(Tensor{INFINITY}, Tensor{1}) == 0);
    CHECK(digits_in_common(Tensor{0, 0}, Tensor{0, 0}) == 15);
    CHECK(digits_in_common(Tensor{1, 2}, Tensor{NAN, 2}) == 0);
}

TEST_CASE("details: a difference is shown with its place and how many there are") {
    const Tensor right({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const auto shown = [&](const Tensor& mine) {
        return shown_difference(mine, right, compare(mine, right, std::vector<double>(12, 0.1)));
    };
    CHECK(shown(with(right, {{0, 5}})) == "[0, 0, 0] is 5, expected 0 (1 of 12 numbers differ)");
    CHECK(shown(with(right, {{7, -1.5}, {11, 3}})) ==
          "[1, 0, 1] is -1.5, expected 7 (2 of 12 numbers differ)");
    CHECK(shown(with(right, {{11, -NAN}})) == "[1, 2, 1] is nan, expected 11 (1 of 12 numbers differ)");
    CHECK(shown(with(right, {{3, 1.23456789}})) ==
          "[0, 1, 1] is 1.23457, expected 3 (1 of 12 numbers differ)");
    const Tensor one(real(2)), three(real(3));
    CHECK(shown_difference(one, three, compare(one, three, {0})) == "is 2, expected 3");
}

TEST_CASE("details: numbers that are not finite are counted, and the first is placed") {
    const Tensor right = some({2, 3});
    CHECK(looks(with(right, {{4, NAN}}), right) == "1 of 6 numbers is NaN, the first at [1, 1]");
    CHECK(looks(with(right, {{5, NAN}, {1, NAN}}), right) == "2 of 6 numbers are NaN, the first at [0, 1]");
    CHECK(looks(with(right, {{0, INFINITY}}), right) == "1 of 6 numbers is infinite, the first at [0, 0]");
    CHECK(looks(with(right, {{2, -INFINITY}, {3, INFINITY}}), right) ==
          "2 of 6 numbers are infinite, the first at [0, 2]");
    CHECK(looks(with(right, {{2, INFINITY}, {3, NAN}}), right) ==
          "1 of 6 numbers is NaN, the first at [0, 2]");
    const Tensor without = with(right, {{3, NAN}});  // where it is right, it does not count
    CHECK(looks(with(without, {{4, NAN}}), without) == "1 of 6 numbers is NaN, the first at [1, 1]");
}

TEST_CASE("details: a factor or a number more, of all numbers or of each row") {
    const Tensor right = some({2, 3}), two = some({3, 2}), large = with(right, {{5, -1e9}});
    CHECK(looks(right * 0, right) == "all numbers are 0");
    CHECK(looks(right * 0.5, right) == "every number is 0.5 times the expected one");
    CHECK(looks(right * -2.25, right) == "every number is -2.25 times the expected one");
    CHECK(looks(-right, right) == "every number has the wrong sign");
    CHECK(looks(right + 3, right) == "every number is 3 above the expected one");
    CHECK(looks(right - 0.125, right) == "every number is 0.125 below the expected one");
    CHECK(looks(Tensor{4}, Tensor{2}).empty());  // one number says no rule
    CHECK(looks(Tensor{0}, Tensor{2}) == "all numbers are 0");
    CHECK(looks(Tensor{1, 1}, Tensor{0, 0}) != "every number is 1 above the expected one");
    CHECK(looks(right * Tensor{{2}, {-3}}, right) == "each row is the expected one times its own factor");
    CHECK(looks(right + Tensor{{2}, {-3}}, right) == "each row is the expected one plus its own constant");
    CHECK(looks(two * Tensor{{2}, {-3}, {4}}, two).find("each row") == std::string::npos);  // too short
    CHECK(looks(with(right, {{4, right.at({1, 1}) + real(2e-5)}}), right) ==
          "only row 1 differs");  // not "1 times"
    CHECK(looks(right * real(1.00004), right) == "the numbers agree to 4 digits");
    const Tensor flat = some({6});
    CHECK(looks(flat * 2, flat) == "every number is 2 times the expected one");
    // A row of zeros has any factor.
    const Tensor zero = right * Tensor{{1}, {0}};
    CHECK(looks(zero * Tensor{{7}, {1}}, zero) == "every number is 7 times the expected one");
}

TEST_CASE("details: an axis in another order is named, of 2 to 64 entries") {
    const Tensor right = some({2, 3, 4, 5});
    const auto turned = [](const Tensor& x, int axis) {  // the first entry becomes the last
        const index_t n = x.size(axis);
        return concat({slice(x, axis, 1, n), slice(x, axis, 0, 1)}, axis);
    };
    CHECK(looks(turned(right, -1), right) == "its columns are the expected ones in the order 1, 2, 3, 4, 0");
    CHECK(looks(turned(right, -2), right) == "its rows are the expected ones in the order 1, 2, 3, 0");
    CHECK(looks(turned(right, -3), right) ==
          "its heads or batch entries are the expected ones in the order 1, 2, 0");
    CHECK(looks(turned(right, -4), right) == "its batch entries are the expected ones in the order 1, 0");
    const Tensor square = some({2, 3, 3}), long_one = some({64}), longer = some({65});
    CHECK(looks(contiguous(transpose(square)), square) == "it is transposed");
    CHECK(looks(turned(long_one, 0), long_one)
              .starts_with("its columns are the expected ones in the order 1, 2, 3"));
    CHECK_FALSE(looks(turned(longer, 0), longer).starts_with("its columns are"));
}

TEST_CASE("details: an order has each right entry once, and equal ones do not show it") {
    const Tensor a{{1.5}, {-2.25}, {3}}, b{{2}, {0.5}, {-1}}, c{{-4}, {1.25}, {7}}, d{{0.5}, {8}, {6}};
    const auto columns = [](const std::vector<Tensor>& all) { return concat(all, -1); };
    const Tensor right = columns({a, b, c, d}), with_equal = columns({a, a, b, c});
    CHECK(looks(columns({a, a, d, d}), right) == "only these differ, on the axis of size 4: column 1, 2");
    CHECK(looks(columns({b, b, c, d}), right) == "only column 0 differs");
    CHECK(looks(columns({a, c, b, d}), right) == "its columns are the expected ones in the order 0, 2, 1, 3");
    // Of the equal ones the first stays, and what has moved is shown by the others.
    CHECK(looks(columns({a, b, a, c}), with_equal) ==
          "its columns are the expected ones in the order 0, 2, 1, 3");
    CHECK(looks(columns({b, c, a, a}), with_equal) ==
          "its columns are the expected ones in the order 2, 3, 0, 1");
    CHECK(looks(columns({b, a, b, c}), with_equal) == "only column 0 differs");
    // a, a, b, b in the order b, b, a, a: all are others', and each is one of two.
    CHECK(looks(columns({b, b, a, a}), columns({a, a, b, b})).find("in the order") == std::string::npos);
    // The same row twice.
    const Tensor rows = some({2, 3, 4, 5});
    CHECK(looks(concat({slice(rows, -2, 1, 2), slice(rows, -2, 1, 4)}, -2), rows) == "only row 0 differs");
}

TEST_CASE(
    "details: of masks, tokens, labels and classes no order is said: a wrong one is another's right one") {
    const Tensor mask{{1, 0, 0, 1}, {1, 1, 0, 1}, {1, 1, 1, 1}},
        tokens{{3, 1, 4, 2}, {2, 3, 1, 0}, {1, 2, 3, 3}}, labels{{5, 3, 4, -1}, {6, 5, -1, -1}},
        ignored{{5, 3, 4, -100}, {6, 5, -100, -100}}, one_hot{{0, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
    const auto turned = [](const Tensor& x) { return concat({slice(x, -1, 3, 4), slice(x, -1, 0, 3)}, -1); };
    const Tensor low = where(mask, mask * 0.0, -INFINITY), smooth = one_hot * 0.85 + 0.0375;
    for (const Tensor& right : {mask, tokens, labels, ignored, one_hot, low, smooth, mask * 0.37})
        CHECK(looks(turned(right), right).find("in the order") == std::string::npos);
    for (const Tensor& right : {tokens, labels})
        CHECK(looks(turned(right * 0.37), right * 0.37) ==
              "its columns are the expected ones in the order 3, 0, 1, 2");
    CHECK(looks(Tensor{1.5, 0.5}, Tensor{0.5, 1.5}) == "its columns are the expected ones in the order 1, 0");
    // The future for the past.
    const Tensor causal{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    CHECK(looks(contiguous(transpose(causal)), causal) == "it is transposed");
}

TEST_CASE("details: of codes it is said which are others, and no factor of a row and no digits") {
    const Tensor one_hot{{0, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}}, tokens{{301, 204, 500}, {402, 100, 207}};
    CHECK(looks(one_hot * Tensor{{1}, {0}, {1}}, one_hot) == "only row 1 differs");
    CHECK(looks(with(tokens, {{1, 205}, {3, 401}}), tokens) ==
          "only these differ, on the axis of size 3: column 0, 1");
    CHECK(looks(tokens + Tensor{{1, 0, 2}, {0, 1, 0}}, tokens).empty());
    CHECK(looks(tokens + 1, tokens) == "every number is 1 above the expected one");
    // Numbers that are no codes are nearly right, whatever the expected ones are.
    CHECK(looks(tokens + Tensor{{0.5, 0.25, 0.75}, {0.25, 0.5, 0.75}}, tokens) ==
          "the numbers agree to 2 digits");
}

TEST_CASE("details: which entries of an axis differ is said of the outermost that tells them") {
    const Tensor right = some({2, 3, 4, 12}) * 1000;
    const auto wrong = [&](int back, const std::vector<index_t>& which) {  // by changes without a rule
        Tensor result = right;
        const index_t n = right.size(-back);
        std::vector<Tensor> parts;
        for (index_t i = 0; i < n; ++i) {
            const Tensor part = slice(right, -back, i, i + 1);
            const bool is_wrong = std::find(which.begin(), which.end(), i) != which.end();
            parts.push_back(is_wrong ? part + some(part.shape()) * some(part.shape()) : part);
        }
        return concat(parts, -back);
    };
    CHECK(looks(wrong(4, {1}), right) == "only batch entry 1 differs");
    CHECK(looks(wrong(3, {2}), right) == "only head or batch entry 2 differs");
    CHECK(looks(wrong(3, {0, 1}), right) ==
          "only these differ, on the axis of size 3: head or batch entry 0, 1");
    CHECK(looks(wrong(3, {1, 2}), right) == "it differs from head or batch entry 1 on");
    CHECK(looks(wrong(2, {0}), right) == "only row 0 differs");
    CHECK(looks(wrong(2, {0, 3}), right) == "only these differ, on the axis of size 4: row 0, 3");
    CHECK(looks(wrong(1, {11}), right) == "only column 11 differs");
    CHECK(looks(wrong(1, {3, 4, 5, 6, 7, 8, 9, 10, 11}), right) == "it differs from column 3 on");
    CHECK(looks(wrong(1, {0, 1, 2, 3, 4, 5, 6, 8}), right) ==
          "only these differ, on the axis of size 12: column 0, 1, 2, 3, 4, 5, 6, 8");
    CHECK(looks(wrong(1, {0, 1, 2, 3, 4, 5, 6, 8, 9}), right).find("column") == std::string::npos);
    // What is within the tolerance does not differ.
    const Tensor near = wrong(2, {1}) + with(right * 0, {{0, 0.25}});
    CHECK(looks(near, right, 0.25) == "only row 1 differs");
    CHECK(looks(near, right, 0.125) == "only these differ, on the axis of size 4: row 0, 1");
}

TEST_CASE("details: where nothing else is to be said, how many digits agree, from two on") {
    const Tensor right{1000, -999, 870, 500}, noise{1, -0.5, 1, -1};
    CHECK(looks(right + noise, right) == "the numbers agree to 3 digits");
    CHECK(looks(right + noise * 10, right) == "the numbers agree to 2 digits");
    CHECK(looks(right + noise * 100, right).empty());
}

TEST_CASE("details: in which layouts numbers are read, and what is said of each") {
    const Shape heads{2, 3, 4, 7};
    struct Case {
        Shape given, expected;
        SubmittedLayout layout;
        Texts how;
    };
    const SubmittedLayout any = SubmittedLayout::any, ordered = SubmittedLayout::ordered,
                          exact = SubmittedLayout::exact;
    const Case cases[] = {
        {heads, heads, any, {""}},
        {heads, heads, ordered, {""}},
        {heads, heads, exact, {""}},
        {{1, 2, 3, 4, 7}, heads, exact, {}},
        {{1, 2, 3, 4, 7}, heads, ordered, {""}},
        {{1, 2, 3, 4, 7}, heads, any, {"as (2, 3, 4, 7): axes of size 1 are ignored"}},
        {{2, 4, 3, 7}, heads, any, {"with its axes in the order (0, 2, 1, 3)"}},
        {{2, 4, 3, 7}, heads, ordered, {}},
        {{2, 4, 21}, heads, any, {"with its heads side by side"}},
        {{2, 4, 21}, heads, ordered, {}},
        {heads, {2, 4, 21}, any, {"with its own head axis"}},
        {{2, 4, 3}, {4, 6}, any, {"with its own head axis"}},  // of one sequence
        {{168}, heads, any, {"read as (2, 3, 4, 7), row by row", "read as (2, 3, 4, 7), column by column"}},
        {{1, 6}, {3, 2}, any, {"read as (3, 2), row by row", "read as (3, 2), column by column"}},
        {{7}, {1, 7}, any, {"as (1, 7): axes of size 1 are ignored"}},
        {{168}, heads, ordered, {"read as (2, 3, 4, 7), row by row"}},
        {{6, 28}, heads, ordered, {"read as (2, 3, 4, 7), row by row"}},
        {{2, 1, 84}, heads, ordered, {"read as (2, 3, 4, 7), row by row"}},
        {{3, 56}, heads, ordered, {}},
        {{8, 21}, heads, any, {"read as (2, 3, 4, 7), row by row"}},
        {{3, 4, 7}, heads, any, {"the same for every entry of the leading axes"}},
        {{7}, heads, any, {"the same for every entry of the leading axes"}},
        {{3, 4, 7}, heads, ordered, {}},
        {{3, 7}, heads, any, {}},
        {{2, 3, 4, 8}, heads, any, {}},
        {{}, heads, any, {}},
        {{4, 7},
         {1, 4, 7},
         any,
         {"as (1, 4, 7): axes of size 1 are ignored", "with its heads side by side"}},  // of one head
        {{0, 3}, {3, 0}, any, {}},
        {{4, 4}, {4, 4}, any, {""}},  // an exchange of the last two is a mistake
        {{5, 3, 3}, {5, 3, 3}, any, {""}},
        {{3, 3, 5}, {3, 3, 5}, any, {"", "with its axes in the order (1, 0, 2)"}},
        {{3, 5, 3},
         {3, 3, 5},
         any,
         {"with its axes in the order (0, 2, 1)", "with its axes in the order (2, 0, 1)"}},
        {{2, 3}, {3, 2}, any, {"with its axes in the order (1, 0)"}},
        {{2, 2, 2, 2, 2, 3}, {3, 2, 2, 2, 2, 2}, any, {"read as (3, 2, 2, 2, 2, 2), row by row"}},
        {{4, 6}, {2, 4, 3}, any, {"with its heads side by side"}},
        {{3, 8}, {2, 4, 3}, any, {"read as (2, 4, 3), row by row"}},
        {{8, 3}, {2, 4, 3}, ordered, {"read as (2, 4, 3), row by row"}},
        {{4, 6}, {2, 4, 3}, ordered, {}},
    };
    for (const Case& each : cases) {
        INFO(each.given.str() << " as " << each.expected.str() << " " << name(each.layout));
        CHECK(layouts(each.given, each.expected, each.layout) == each.how);
    }
    CHECK(layouts({2, 2, 2, 2, 3}, {3, 2, 2, 2, 2}, any).size() ==
          24);  // the 3 has one place, the others any
}

TEST_CASE("details: numbers that are read in another layout are the expected ones, with their rounding") {
    const Tensor right = some({2, 3, 4, 7});
    const auto submitted = [&](const Tensor& mine) {
        SubmittedStep given{"", mine, {}, SubmittedLayout::any};
        for (const real value : mine.values())
            given.half_width.push_back(std::abs(static_cast<double>(value)));
        return given;
    };
    const auto is_right = [](const Rearranged& found, const Tensor& expected) {
        std::vector<double> widths;
        for (const real value : expected.values()) widths.push_back(std::abs(static_cast<double>(value)));
        return found.value.values() == expected.values() && found.half_width == widths;
    };
    const Tensor exchanged = contiguous(permute(right, {0, 2, 1, 3})),
                 rolled = contiguous(permute(right, {3, 0, 1, 2}));
    for (const Tensor& mine :
         {right, exchanged, rolled, reshape(exchanged, {2, 4, 21}), reshape(right, {2, 3, 1, 4, 7})}) {
        const auto found = rearrangements(submitted(mine), right.shape());
        CHECK(!found.empty());
        for (const Rearranged& each : found) CHECK(is_right(each, right));
    }
    CHECK(is_right(rearrangements(submitted(right), {2, 4, 21})[0], reshape(exchanged, {2, 4, 21})));
    CHECK(is_right(rearrangements(submitted(reshape(right, {168})), right.shape())[0], right));
    const Tensor by_columns = reshape(contiguous(permute(right, {3, 2, 1, 0})), {168});
    CHECK(is_right(rearrangements(submitted(by_columns), right.shape())[1], right));
    const Tensor row = some({7});
    CHECK(is_right(rearrangements(submitted(row), {2, 7})[0],
                   concat({reshape(row, {1, 7}), reshape(row, {1, 7})}, 0)));
}

TEST_CASE("details: parts of a step are written as they are read") {
    const std::string key = "scaled/not-divided";
    for (const std::string& text :
         Texts{key, "encoder/0: " + key, key + " in head 0", key + " in heads 0-1", key + " in row 10",
               key + " in rows 2-12", key + " in entry 3", key + " in entries 0-1", key + " in column 1",
               key + " in columns 1-2", "encoder/0/self_attn: " + key + " in rows 0-2"}) {
        CHECK(parse_mistake(text).name() == text);
        CHECK(parse_mistake("  " + text + " \t\n").name() == text);
    }
    const PlacedMistake placed = parse_mistake(" a/b :  " + key + "  in  columns 3-4 ");
    CHECK(placed.place == "a/b");
    CHECK(placed.mistake->key == key);
    REQUIRE(placed.part);
    CHECK((placed.part->axis == StepPart::Axis::column && placed.part->begin == 3 && placed.part->end == 5));
    CHECK(parse_mistake(key + " in rows 1-1").name() == key + " in row 1");
    CHECK(parse_mistake(key + " in head 2-3").name() == key + " in heads 2-3");
    CHECK_FALSE(parse_mistake(key).part);
    for (const std::string part : {"head", "head x", "head 1x", "rows 2-1", "rows -1", "rows 1-", "rows 1-2x",
                                   "row 1 2", "depth 1", "headx 1", "rows 1--2", "1"})
        check_error<UsageError>(
            [&] { parse_mistake(key + " in " + part); },
            "expected 'in head 1', 'in rows 0-2', 'in entry 0' or 'in column 3', got 'in " + part + "'");
    check_error<UsageError>([] { parse_mistake("no/such"); },
                            "there is no mistake 'no/such'; tracer mistakes lists them");
}

TEST_CASE("details: a mistake in a part of a step changes that part alone") {
    const auto stream = make_stream(Rng::numpy, 5);
    const Tensor Q = stream->normal({2, 3, 4, 5}), K = stream->normal({2, 3, 6, 5}),
                 V = stream->normal({2, 3, 6, 7});
    const auto scaled = [&](const std::string& mistake, bool acts) {
        Trace trace;
        std::vector<int> acted;
        std::vector<PlacedMistake> placed;
        if (!mistake.empty()) placed.push_back(parse_mistake(mistake));
        trace.set_hook(hook_of(placed, &acted));
        (void)scaled_dot_product(Q, K, V);
        if (!mistake.empty()) CHECK(acted == std::vector<int>{acts ? 1 : 0});
        return trace["scaled"];
    };
    const Tensor right = scaled("", false), wrong = matmul(Q, transpose(K));  // (2, 3, 4, 6)
    struct Case {
        const char* part;
        int axis;
        index_t begin, end;  // none: 0, 0
    };
    const Case cases[] = {
        {"entry 0", 0, 0, 1},  {"entry 1", 0, 1, 2},     {"head 0", 1, 0, 1},      {"heads 1-2", 1, 1, 3},
        {"head 1", 1, 1, 2},   {"row 3", 2, 3, 4},       {"rows 0-2", 2, 0, 3},    {"rows 1-9", 2, 1, 4},
        {"column 5", 3, 5, 6}, {"columns 2-9", 3, 2, 6}, {"columns 0-4", 3, 0, 5}, {"rows 0-3", 2, 0, 0},
        {"rows 0-9", 2, 0, 0}, {"head 3", 1, 0, 0},      {"entries 0-1", 0, 0, 0}, {"row 4", 2, 0, 0}};
    for (const Case& each : cases) {
        INFO(each.part);
        const Tensor found = scaled(std::string("scaled/not-divided in ") + each.part, each.end > 0);
        const Shape& shape = right.shape();
        for (index_t i = 0; i < right.numel(); ++i) {
            const index_t place[] = {i / 72, i / 24 % 3, i / 6 % 4, i % 6};
            const bool is_wrong = place[each.axis] >= each.begin && place[each.axis] < each.end;
            const auto at = static_cast<std::size_t>(i);
            REQUIRE(found.values()[at] == (is_wrong ? wrong : right).values()[at]);
        }
        CHECK(found.shape() == shape);
    }
    // Of a matrix there is no entry of a batch.
    Trace trace;
    std::vector<int> acted;
    trace.set_hook(hook_of({parse_mistake("scaled/not-divided in entry 0")}, &acted));
    (void)scaled_dot_product(select(select(Q, 0, 0), 0, 0), select(select(K, 0, 0), 0, 0),
                             select(select(V, 0, 0), 0, 0));
    CHECK(acted == std::vector<int>{0});
}

TEST_CASE("details: the format of numbers by their binary digits, at each limit") {
    const auto format = [](const Tensor& numbers) { return std::string(precision_of(numbers).name); };
    const std::string library = sizeof(real) == 4 ? "float32" : "float64";
    CHECK(format(Tensor{255}) == "bfloat16");  // 8 digits
    CHECK(format(Tensor{17}) == "bfloat16");   // 5
    CHECK(format(Tensor{15}) == library);      // 4 say nothing
    CHECK(format(Tensor{257}) == "float16");   // 9
    CHECK(format(Tensor{-2047}) == "float16");
    CHECK(format(Tensor{2049}) == "float32");
    CHECK(format(Tensor{16777215}) == "float32");
    CHECK(format(Tensor{65504}) == "float16");
    CHECK(format(Tensor{-65504}) == "float16");
    CHECK(format(Tensor{131008}) == library);  // as many digits, and too large
    CHECK(format(Tensor{0.0625 + 1 / 4096.0, 65504}) == "float16");
    CHECK(format(Tensor{17, 1}) == "bfloat16");  // half of them tell
    CHECK(format(Tensor{17, 1, 1}) == library);
    CHECK(format(Tensor{17, 1, 0, 0, NAN, INFINITY}) == "bfloat16");  // these do not count
    CHECK(format(Tensor{257, -1000001}) == "float16");                // nor do hidden scores
    CHECK(format(Tensor{257, -1e6}) == "float32");
    CHECK(format(Tensor::zeros({3})) == library);
    CHECK((half_precision().unit == 0x1p-11 && half_precision().smallest == 0x1p-24));
    CHECK(bfloat_precision().unit == 0x1p-8);
    CHECK(bfloat_precision().smallest == static_cast<double>(std::numeric_limits<real>::min()));
    CHECK(library_precision().unit == static_cast<double>(std::numeric_limits<real>::epsilon()) / 2);
    CHECK(library_precision().smallest == static_cast<double>(std::numeric_limits<real>::min()));
    CHECK(library_precision().name == library);
    CHECK(precision_of(Tensor{2049}).unit == 0x1p-24);
    CHECK(precision_of(Tensor{2049}).smallest == static_cast<double>(std::numeric_limits<float>::min()));
    if (sizeof(real) == 8) CHECK(format(Tensor{33554433.0}) == "float64");
}

TEST_CASE("details: decimals are told from chance, from two to seven of them") {
    CHECK(decimals_of(Tensor{0.12, 3.45, -0.07}) == 2);
    CHECK(decimals_of(Tensor{0.12, NAN, 3.45, INFINITY, 0}) == 2);
    CHECK(decimals_of(Tensor{0.123, 0.5}) == 3);
    CHECK(decimals_of(Tensor{0.5, 1.5, -2.25}) == 2);
    CHECK(decimals_of(Tensor{0.5, 1.5}) == 0);  // one decimal
    CHECK(decimals_of(Tensor{1, 2, 3}) == 0);
    CHECK(decimals_of(Tensor{1.0 / 3, 0.7182818284}) == 0);
    CHECK(decimals_of(Tensor{NAN}) == 0);
    CHECK(decimals_of(Tensor::zeros({0})) == 0);
    std::vector<real> seven, large;
    for (int i = 1; i < 60; ++i) seven.push_back(static_cast<real>(0.0123457 + 0.0000013 * i));
    CHECK(decimals_of(Tensor(Shape{59}, seven)) == 7);
    if (sizeof(real) == 4) {  // any large float is a multiple
        for (int i = 1; i < 60; ++i) large.push_back(static_cast<real>(1e6 + 0.25 * i));
        CHECK(decimals_of(Tensor(Shape{59}, large)) == 0);
    }
}

// ---- what is said --------------------------------------------------------------------------------------

TEST_CASE("details: a mistake's text has its formula, the expected one, its sentence and where it was seen") {
    const auto text = [](const std::string& key) { return mistake_text(parse_mistake(key)); };
    bool any_source = false, any_many = false;
    for (const Mistake& each : all_mistakes()) {
        const auto& steps = each.lines.front().at.steps;
        std::string expected = "   " + each.key + ": " + each.formula;
        if (steps.size() == 1 && std::string(steps.front()->formula) != "")
            expected += ", not " + formula_of(*steps.front());
        expected += "\n   " + each.sentence + "\n";
        if (!each.source.empty()) expected += "   Seen in " + each.source + "\n";
        CHECK(text(each.key) == expected);
        any_source = any_source || !each.source.empty(), any_many = any_many || steps.size() != 1;
    }
    CHECK((any_source && any_many));
    CHECK(text("scaled/not-divided in row 1").starts_with("   scaled/not-divided in row 1: "));
}

TEST_CASE("details: the lines of a diagnosis, word for word") {
    const auto said = [](const std::string& path, Verdict verdict) {
        StepDiagnosis step;
        step.path = path, step.verdict = verdict;
        return step;
    };
    const StepDiagnosis a = said("a", Verdict::right), missing = said("long/path", Verdict::not_given);
    StepDiagnosis accepted = said("bcd", Verdict::right), wrong = said("ef", Verdict::wrong);
    accepted.accepted = "float16";
    wrong.difference = "[0, 2] is 1.5, expected 0.75 (6 of 9 numbers differ)", wrong.tolerance = 0.00123;
    wrong.looks_like = "It is odd";
    const std::string none =
        "   No mistake in the catalogue gives these numbers, nor does any pair that was tried.\n";
    CHECK(diagnosis_text({{a, accepted}}) == "✓ a\n✓ bcd  float16\nAll right.\n");
    CHECK(diagnosis_text({{a, missing}}) == "✓ a\n– 1 step not submitted\nAll right.\n");
    CHECK(diagnosis_text({{a, missing, missing}}) == "✓ a\n– 2 steps not submitted\nAll right.\n");
    CHECK(diagnosis_text({{a, missing}}, {.others = false}) == "✓ a\nAll right.\n");
    CHECK(diagnosis_text({{missing}}) == "All right.\n");
    const std::string line =
        "✗ ef   [0, 2] is 1.5, expected 0.75 (6 of 9 numbers differ); rounding error up to 0.001\n";
    CHECK(diagnosis_text({{wrong, accepted}}) == line + "   It is odd.\n" + none + "✓ bcd  float16\n");
    const std::string hidden = "✗ ef   [0, 2] is 1.5 (6 of 9 numbers differ); rounding error up to 0.001\n";
    CHECK(diagnosis_text({{wrong, accepted}}, {.expected = false}) ==
          hidden + "   It is odd.\n" + none + "✓ bcd  float16\n");
    wrong.is_evident = true, wrong.tolerance = 0;
    CHECK(diagnosis_text({{wrong}}) ==
          "✗ ef  [0, 2] is 1.5, expected 0.75 (6 of 9 numbers differ)\n   It is odd.\n");
    wrong.is_evident = false, wrong.looks_like = "", wrong.difference = "";
    const std::string some_left =
        "   No mistake in the catalogue gives these numbers; not every pair was tried";
    CHECK(diagnosis_text({{wrong}}) == "✗ ef\n" + none);
    CHECK(diagnosis_text({{wrong}, {}, false}) == "✗ ef\n" + some_left + ".\n");
    CHECK(diagnosis_text({{wrong}, {}, false}, {.longer = "--effort 60 tries more"}) ==
          "✗ ef\n" + some_left + " (--effort 60 tries more).\n");
    CHECK(diagnosis_text({{said("x", Verdict::inherited)}}) ==
          "→ x  follows from the steps before it\nAll right.\n");
    StepDiagnosis plain = wrong;
    plain.difference = "is 2, expected 3";
    CHECK(difference_text(plain, true) == "is 2, expected 3");
    CHECK(difference_text(plain, false) == "is 2");
    plain.difference = "its shape is (2,), expected (3,)";
    CHECK(difference_text(plain, false) == plain.difference);
    plain.verdict = Verdict::wrong;
    CHECK(diagnosis_text({{plain}}) == "✗ ef  its shape is (2,), expected (3,)\n");
}

TEST_CASE("details: mistakes that cannot be shown are listed, eight by name") {
    const std::vector<Mistake>& all = all_mistakes();
    StepDiagnosis right;
    right.path = "a", right.verdict = Verdict::right;
    const auto text = [&](std::size_t count) {
        Diagnosis diagnosis{{right}};
        for (std::size_t i = 0; i < count; ++i) diagnosis.unseen.push_back(&all[i]);
        return diagnosis_text(diagnosis);
    };
    CHECK(text(1) == "✓ a\nNot all steps were submitted: 1 mistake would not show in these numbers (" +
                         all[0].key + ").\n");
    for (const std::size_t count : {std::size_t{8}, std::size_t{9}, std::size_t{12}}) {
        std::string names = all[0].key;
        for (std::size_t i = 1; i < 8; ++i) names += ", " + all[i].key;
        if (count > 8) names += fmt::format(" and {} more", count - 8);
        CHECK(text(count) ==
              fmt::format(
                  "✓ a\nNot all steps were submitted: {} mistakes would not show in these numbers ({}).\n",
                  count, names));
    }
}

TEST_CASE("details: explanations that cannot be told apart, two mistakes together, and others alike") {
    const std::vector<Mistake>& all = all_mistakes();
    const auto placed = [&](std::size_t i) { return PlacedMistake{&all[i]}; };
    const auto one = [&](std::size_t i) { return mistake_text(placed(i)); };
    StepDiagnosis wrong;
    wrong.path = "a", wrong.verdict = Verdict::wrong;
    const auto text = [&] {
        const std::string said = diagnosis_text({{wrong}});
        CHECK(said.starts_with("✗ a\n"));
        return said.substr(std::string("✗ a\n").size());
    };
    wrong.explanations = {{{placed(0)}, 0}};
    CHECK(text() == one(0));
    wrong.explanations = {{{placed(0)}, 0}, {{placed(1)}, 0}};
    const std::string of_these = "   One of these, indistinguishable here:\n";
    CHECK(text() == of_these + one(0) + one(1));
    wrong.explanations = {{{placed(0), placed(1)}, 0}};
    CHECK(text() == "   Two mistakes together give all of its numbers:\n" + one(0) + one(1));
    wrong.explanations = {{{placed(0), placed(1)}, 0}, {{placed(2), placed(3)}, 0}};
    CHECK(text() == of_these + one(0) + one(1) + "   or\n" + one(2) + one(3));
    wrong.explanations.clear();
    for (std::size_t i = 0; i < 4; ++i) wrong.explanations.push_back({{placed(i)}, 0});
    CHECK(text() == of_these + one(0) + one(1) + one(2) + one(3));
    wrong.explanations.push_back({{placed(4)}, 0});
    CHECK(text() == of_these + one(0) + one(1) + one(2) + one(3) + "   and 1 more\n");

    // Of a class, its reason; of a family, none.
    const auto member = [&](bool is_family) {
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const EffectClass& each : effect_classes())
                if (each.name == all[i].effect && each.is_family == is_family)
                    return std::pair(i, each.reason);
        return std::pair(all.size(), std::string());
    };
    for (const bool is_family : {false, true}) {
        const auto [i, reason] = member(is_family);
        REQUIRE(i < all.size());
        const std::string why = is_family ? "" : " " + reason;
        wrong.explanations = {{{placed(i)}, 0, {{placed(0)}}}};
        CHECK(text() == one(i) + "   Also explained by " + all[0].key + "." + why + "\n");
        wrong.explanations[0].alike = {{placed(0), placed(1)}, {placed(2)}, {placed(3)}, {placed(4)}};
        const std::string four =
            all[0].key + " with " + all[1].key + ", " + all[2].key + ", " + all[3].key + ", " + all[4].key;
        CHECK(text() == one(i) + "   Also explained by " + four + "." + why + "\n");
        wrong.explanations[0].alike.push_back({placed(5)});
        CHECK(text() == one(i) + "   Also explained by " + four + " …." + why + "\n");
    }
}
