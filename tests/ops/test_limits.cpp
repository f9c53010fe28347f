// The limits of what ops take: the last that is accepted, the first that is refused.
#include <glassbox/backend/recording.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/detail/integers.h>
#include <glassbox/ops/detail/position.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>
#include <glassbox/ops/testing.h>

#include <array>
#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

TEST_CASE("dropout takes the keys that a device has, one after the other, and says when there are no more") {
    const std::array<TwoWords, 2> keys{{{1, 2}, {3, 4}}};
    const Tensor ones = Tensor::ones({40});
    const auto kept = [](TwoWords key) {  // the generator, element by element
        std::vector<real> values;
        for (std::uint32_t i = 0; i < 40; ++i) {
            const TwoWords words = threefry(key, {0, i / 2});
            const bool dropped = ((i % 2 == 0 ? words.first : words.second) >> 8) < (1u << 23);
            values.push_back(dropped ? real(0) : real(2));
        }
        return Tensor({40}, values);
    };
    const DropoutScope dropping{std::span<const TwoWords>(keys)};
    check_close(dropout(ones, 0.5), kept(keys[0]), exact, "the first");
    check_close(dropout(ones, 0.5), kept(keys[1]), exact, "the second");
    CHECK(dropping.calls() == 2);
    CHECK(dropout(ones, 0).id() == ones.id());  // takes no key
    check_error<NotRecordable>([&] { dropout(ones, 0.5); },
                               "dropout: the device has 2 keys, and this is dropout 3");
    const DropoutScope none{std::span<const TwoWords>()};
    check_error<NotRecordable>([&] { dropout(ones, 0.5); },
                               "dropout: the device has 0 keys, and this is dropout 1");
}

TEST_CASE("a table with a buffer that another use has filled gets the gradients of its rows added in place") {
    const Tensor table = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, ids = {2, 0, 2, 3};
    for (const bool strided : {false, true}) {
        const Tensor block = Tensor::full({4, 3}, 99);
        GradientBuffers buffers({{table.id(), block}});
        Tape tape(&buffers);
        const Tensor rows = embedding(table, ids);
        // A later use of the table, so that its gradient comes first.
        const Tensor y = strided
                             ? sum(transpose(rows) * Tensor({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))
                             : sum(rows * Tensor({4, 3}, {1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
        tape.backward(y + sum(table * 100));
        buffers.finish();
        check_close(block, {{102, 106, 110}, {100, 100, 100}, {104, 112, 120}, {104, 108, 112}}, exact,
                    "both uses");
    }
}

TEST_CASE("whole numbers are found wrong at the first place where they are, within and at the limits") {
    const auto place = [](const Tensor& x, index_t min, index_t max) {
        const auto wrong = first_non_integer(x, min, max);
        return wrong ? wrong->place : std::string("none");
    };
    const Tensor x = {{-1, 0, 1}, {2, 3, 4}};
    CHECK(place(x, -1, 4) == "none");
    CHECK(place(x, 0, 4) == "(0, 0)");
    CHECK(place(x, -1, 3) == "(1, 2)");
    CHECK(place(x, -1, 1) == "(1, 0)");
    CHECK(place(transpose(x), -1, 1) == "(0, 1)");
    CHECK(place(Tensor{1, 2, 2.5f, 3.5f}, 0, 9) == "(2,)");
    CHECK(place(Tensor{static_cast<real>(NAN)}, 0, 9) == "(0,)");
    CHECK(place(Tensor{std::numeric_limits<real>::infinity()}, 0, 9) == "(0,)");
    CHECK(place(Tensor::zeros({0}), 1, 2) == "none");
    CHECK(place(Tensor(real(5)), 5, 5) == "none");
    CHECK(place(Tensor(real(5)), 6, 6) == "()");
    const index_t beyond = max_exact_integer;  // where real cannot tell every whole number from the next
    CHECK(place(Tensor(static_cast<real>(beyond + 4)), 0, beyond + 4) == "none");
    CHECK(place(Tensor(static_cast<real>(beyond + 4)), 0, beyond + 3) == "()");
    CHECK(place(Tensor(static_cast<real>(beyond + 2)), 0, beyond + 3) == "none");
    constexpr index_t most = std::numeric_limits<index_t>::max();
    CHECK(place(Tensor(real(0x1p63)), 0, most) == "()");
    CHECK(place(Tensor(std::nextafter(real(0x1p63), real(0))), 0, most) == "none");
    CHECK(position_of({2, 3, 4}, 23) == std::vector<index_t>{1, 2, 3});
    CHECK(position_of({2, 3, 4}, 0) == std::vector<index_t>{0, 0, 0});
    CHECK(position_of({2, 3, 4}, 5) == std::vector<index_t>{0, 1, 1});
    CHECK(position_of({}, 0).empty());
}

TEST_CASE("all_close: a difference of exactly the tolerance is accepted, a larger one is not") {
    const auto close = [](double actual, double expected, double absolute, double relative) {
        return bool(all_close(Tensor{actual}, Tensor{expected}, {absolute, relative}));
    };
    CHECK(close(1.5, 1, 0.5, 0));
    CHECK_FALSE(close(1.5, 1, 0.4375, 0));
    CHECK(close(0.5, 1, 0.5, 0));
    CHECK(close(3, 2, 0, 0.5));  // relative to what is expected
    CHECK_FALSE(close(2, 3.5, 0, 0.375));
    CHECK(close(-3, -2, 0, 0.5));
    CHECK(close(3.5, 2, 0.5, 0.5));  // both together
    CHECK_FALSE(close(3.75, 2, 0.5, 0.5));
    CHECK(close(0, 0, 0, 0));
    CHECK(all_close(Tensor::zeros({0}), Tensor::zeros({0})).str() == "actual: 0 elements agree within 0");
    CHECK(all_close({1, 2, 3}, {1, 2, 4}, {}, "z").str() ==
          "z[2]: 3, expected 4 (difference -1; 1 of 3 elements differ, by up to 1)");
    CHECK(all_close({1, 2, 3}, {2, 2, 1}, {}, "z").str() ==
          "z[0]: 1, expected 2 (difference -1; 2 of 3 elements differ, by up to 2)");
    CHECK_FALSE(all_close({1}, {infinity}, {1e30, 1e30}));
    CHECK_FALSE(all_close({NaN}, {1}, Tolerance{1e30, 1e30}.with_nan()));
    CHECK_FALSE(all_close({1}, {NaN}, Tolerance{1e30, 1e30}.with_nan()));
    CHECK(all_close({1}, Tensor()).str() == "actual: the expected tensor is undefined");
}

TEST_CASE("slices, entries and splits reach up to the ends of an axis") {
    const Tensor x = {{1, 2, 3}, {4, 5, 6}};
    check_close(slice(x, 1, 0, 3), x, exact, "all");
    CHECK(slice(x, 1, 0, 0).shape() == Shape{2, 0});
    CHECK(slice(x, 1, 3, 3).shape() == Shape{2, 0});
    check_close(select(x, 1, 0), {1, 4}, exact, "first");
    check_close(select(x, 1, 2), {3, 6}, exact, "last");
    check_close(select(x, 0, 1), {4, 5, 6}, exact, "last row");
    check_error([&] { return select(x, 1, 3); }, "select: 3 is not within axis 1 of shape (2, 3)");
    check_error([&] { return select(x, 0, -1); },
                "select: -1 is not within axis 0 of shape (2, 3): an index counts from the front "
                "here; axes and i of x[i] may be negative");
    check_close(x[-2], {1, 2, 3}, exact, "from the end");
    CHECK(split(x, 1, 1).size() == 1);
    check_error([&] { return split(x, 1, -3); },
                "split: axis 1 of shape (2, 3) does not split into -3 equal parts");
    check_close(transpose(Tensor{{1, 2}}), Tensor({2, 1}, {1, 2}), exact, "two axes");
    check_close(concat({x}, 0), x, exact, "one part");
    check_close(reshape(x, {-1, 1}), Tensor({6, 1}, {1, 2, 3, 4, 5, 6}), exact, "a column");
}

TEST_CASE("a variance with a correction of as many or more than there are is a division by 0") {
    const Tensor x = {1, 3, 8};  // squares of the deviations: 9 + 1 + 16
    CHECK(var(x, 0, false, 2).item() == 26);
    CHECK(var(x, 0, false, 1).item() == 13);
    CHECK(var(x, 0, false, 3).item() == infinity);
    CHECK(var(x, 0, false, 4).item() == infinity);
    CHECK(var(x, 0, false, -1).item() == 6.5f);
    CHECK(std::isnan(mean(Tensor::zeros({0})).item()));
}

TEST_CASE("argmax over more rows than one thread takes, along any axis") {
    const index_t rows = 40000;
    std::vector<real> values;
    std::vector<index_t> expected;
    for (index_t i = 0; i < rows; ++i) {
        const index_t top = i * 7 % 3;
        for (index_t j = 0; j < 3; ++j) values.push_back(static_cast<real>(j == top ? 5 : j));
        expected.push_back(top);
    }
    const Tensor x({rows, 3}, values);
    CHECK(argmax(x, 1) == expected);
    CHECK(argmax(contiguous(transpose(x)), 0) == expected);
    CHECK(argmax(reshape(x, {1, rows, 3}), -1) == expected);
}

TEST_CASE("smoothing, clips and powers at the ends of their ranges") {
    const Tensor logits = {{0, 0, 0, 0}}, label = {1};
    for (const double smoothing : {0.0, 1.0}) {
        CrossEntropyOptions options;
        options.label_smoothing = smoothing;
        CHECK(cross_entropy(logits, label, options).item() == Approx(std::log(4.0)));
    }
    for (const double smoothing : {-0.001, 1.001, static_cast<double>(NAN)}) {
        CrossEntropyOptions options;
        options.label_smoothing = smoothing;
        check_error([&] { cross_entropy(logits, label, options); },
                    fmt::format("cross_entropy: needs label smoothing from 0 to 1, got {}", smoothing));
    }
    CHECK(cross_entropy(Tensor({1, 1}, {7}), Tensor{0}).item() == 0);
    CHECK(count_correct(Tensor({1, 1}, {7}), Tensor{0}).item() == 1);
    check_error(
        [&] {
            cross_entropy(Tensor::zeros({1, 0}), Tensor{0});
        },
        "cross_entropy: needs at least 1 class, got logits (1, 0)");
    check_error([&] { cross_entropy(logits, Tensor{4}); },
                "cross_entropy: labels are whole numbers below 4, got 4 at (0,)");
    CHECK(cross_entropy(logits, Tensor{3}).item() == Approx(std::log(4.0)));
    check_close(clip(Tensor{1, 2, 3}, 2, 2), {2, 2, 2}, exact, "one value");
    check_error([] { return clip(Tensor{1}, 2, 1.5); }, "clip: low must not be above high: 2 and 1.5");
    const Tensor x = {-3, 0, 2};
    check_close(pow(x, 2), {9, 0, 4}, exact, "squares");
    check_close(pow(x, 3), {-27, 0, 8}, exact, "cubes");
    check_close(pow(x, 1), x, exact, "itself");
    Tape tape;
    tape.backward(sum(pow(x, 0)) + sum(pow(x, 1) * 5));
    check_close(tape.gradient(x), {5, 5, 5}, exact, "slopes");
}

TEST_CASE("a layer norm takes rows of one number, and no less; linear needs matching widths") {
    check_close(layer_norm(Tensor({2, 1}, {3, 4}), {5}, {6}, 1e-5), Tensor({2, 1}, {6, 6}), exact, "one");
    check_error(
        [] {
            layer_norm(Tensor::zeros({2, 0}), Tensor::zeros({0}), Tensor::zeros({0}), 1e-5);
        },
        "layer_norm: needs rows of at least 1 number, got x of shape (2, 0)");
    check_error([] { layer_norm(Tensor(real(1)), Tensor{1}, Tensor{1}, 1e-5); },
                "layer_norm: needs rows of at least 1 number, got x of shape ()");
    check_error(
        [] {
            layer_norm(Tensor{1, 2}, Tensor{1, 2}, Tensor{1}, 1e-5);
        },
        "layer_norm: needs γ and β of shape (2,) for x of shape (2,), got (2,) and (1,)");
    check_error(
        [] {
            layer_norm(Tensor{1, 2}, Tensor{1}, Tensor{1}, 1e-5);
        },
        "layer_norm: needs γ and β of shape (2,) for x of shape (2,), got (1,) and (1,)");
    check_close(linear(Tensor{2}, Tensor({1, 1}, {3})), {6}, exact, "one number");
    check_error(
        [] {
            linear(Tensor(real(2)), Tensor({1, 1}, {3}));
        },
        "linear: x of shape () does not end in 1, the width of weights (1, 1)");
    check_error([] { return softmax(Tensor(real(1))); }, "softmax: needs at least 1 axis, got shape ()");
    check_error([] { return log_softmax(Tensor(real(1))); },
                "log_softmax: needs at least 1 axis, got shape ()");
    check_close(softmax(Tensor{5}), {1}, exact, "of one number");
    check_error(
        [] {
            return matmul(Tensor{1, 2}, Tensor{{1}, {2}});
        },
        "matmul: needs at least 2 axes, got (2,) × (2, 1)");
    check_error(
        [] {
            return matmul(Tensor{{1, 2}}, Tensor{1, 2});
        },
        "matmul: needs at least 2 axes, got (1, 2) × (2,)");
}

TEST_CASE("check_gradients says how many numbers agree, are at a kink, and were looked at") {
    const auto all = [](const Tensor& x, index_t numbers) {
        return check_gradients([](const Tensor& in) { return relu(in) + in * in; }, x, {.numbers = numbers})
            .str();
    };
    const auto begins = [](const std::string& text, const std::string& with) {
        CAPTURE(text);
        CHECK(text.starts_with(with + " numbers agree with finite differences within "));
    };
    const Tensor x = {1, 2, 3, 4};
    begins(all(x, 4), "4");
    begins(all(x, 5), "4");
    begins(all(x, 3), "3 of 4");
    begins(all(x, 1), "1 of 4");
    begins(all(Tensor{0, 1, 2}, 9), "2");
    CHECK(all(Tensor{0, 1, 2}, 9).ends_with(", 1 at a kink"));
    CHECK(all(x, 4).find("kink") == std::string::npos);
    CHECK(all(x, 4).find("judged") == std::string::npos);
}
