#include <glassbox/train/examples.h>

#include <algorithm>
#include <cmath>

#include <glassbox/layers/linear.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/detail/batches.h>
#include <glassbox/train/detail/scoring.h>
#include <glassbox/train/detail/upload_buffer.h>
#include <glassbox/train/learner.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

const Examples three{{{"x", Tensor{{1, 2}, {3, 4}, {5, 6}}}, {"label", Tensor{7, 8, 9}}}};

// The loss of examples is the sum of their numbers, times `factor` where there are two of them.
struct Adding : Learner {
    Linear model{Tensor{{1}}, Tensor{0}};
    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& some) const override {
        Tensor loss = sum(some["x"]);
        if (some.size() == 2) loss = loss * factor + more;
        if (!has_correct) return {loss, {}};
        return {loss, Tensor(static_cast<real>(some.size()))};
    }
    index_t counted(const Examples& some) const override { return none_counts ? 0 : some.size(); }
    double factor = 1, more = 0;
    bool has_correct = true, none_counts = false;
};

// `count` examples with the numbers 1, 2, 3 …; records how many are asked for at a time.
struct Counting final : DataSet {
    explicit Counting(index_t number) : count(number) {}
    index_t size() const override { return count; }
    Examples at(const std::vector<index_t>& rows) const override {
        asked.push_back(static_cast<index_t>(rows.size()));
        if (rows.front() == missing) fail("no example {}", missing);
        std::vector<real> x;
        for (const index_t row : rows) x.push_back(static_cast<real>(row + 1));
        const Shape shape{static_cast<index_t>(rows.size())};
        return {{{"x", Tensor(shape, x)}}};
    }
    index_t count, missing = -1;
    mutable std::vector<index_t> asked;
};

}  // namespace

TEST_CASE("examples: how many there are, and their arrays by name") {
    CHECK(Examples{}.size() == 0);
    CHECK(three.size() == 3);
    CHECK((three.has("x") && three.has("label") && !three.has("y") && !three.has("")));
    CHECK_FALSE(Examples{}.has("x"));
    CHECK(three["label"].values() == std::vector<real>{7, 8, 9});
    check_error([] { static_cast<void>(three["y"]); }, "examples: no array 'y'; there are x, label");
    const Examples uneven{{{"x", Tensor{1, 2}}, {"y", Tensor{1, 2}}, {"z", Tensor{1}}}};
    check_error([&] { static_cast<void>(uneven.size()); }, "examples: 'x' has 2 of them, 'z' has 1");
}

TEST_CASE("examples: every part from the first to the last, and none beyond") {
    for (index_t begin = -1; begin <= 4; ++begin)
        for (index_t end = -1; end <= 4; ++end) {
            INFO(begin << " to " << end);
            if (begin < 0 || end < begin || end > 3) {
                check_error([&] { three.part(begin, end); },
                            fmt::format("examples: [{}, {}) is not within the 3 there are", begin, end));
                continue;
            }
            const Examples part = three.part(begin, end);
            CHECK(part.size() == end - begin);
            CHECK(part["x"].shape() == Shape{end - begin, 2});
            std::vector<real> x, labels;
            for (index_t i = begin; i < end; ++i) {
                x.push_back(static_cast<real>(2 * i + 1)), x.push_back(static_cast<real>(2 * i + 2));
                labels.push_back(static_cast<real>(7 + i));
            }
            CHECK(part["x"].values() == x);
            CHECK(part["label"].values() == labels);
        }
    for (const Device device : devices()) {
        const Examples there = three.to(device);
        CHECK(there["x"].device() == device);
        check_close(there["label"], Tensor{7, 8, 9}, exact, "label");
    }
}

TEST_CASE("examples: the pieces of a batch are all of it, of sizes that differ by one at most") {
    for (const index_t pieces : {1, 2, 3}) {
        std::vector<real> labels;
        for (index_t piece = 0; piece < pieces; ++piece) {
            const Examples some = piece_of(three, piece, pieces);
            CHECK((some.size() >= 3 / pieces && some.size() <= (3 + pieces - 1) / pieces));
            for (const real label : some["label"].values()) labels.push_back(label);
        }
        CHECK(labels == std::vector<real>{7, 8, 9});
    }
}

TEST_CASE("a batch is split at multiples of 256 positions, into lanes that memory allows") {
    struct Case {
        index_t examples, length, parameters;
        BatchCut expected;
    };
    // On the CPU: the power of two below positions / 256, at least 2, at most an example each; lanes at most
    // 16, and blocks of 16 million numbers in total, but two in any case.
    const Case cases[] = {{1, 1, 10, {1, 1}},
                          {2, 1, 10, {2, 2}},
                          {1000, 1, 10, {2, 2}},
                          {1023, 1, 10, {2, 2}},
                          {1024, 1, 10, {4, 4}},
                          {512, 4, 10, {8, 8}},
                          {2047, 1, 10, {4, 4}},
                          {4096, 1, 10, {16, 16}},
                          {8192, 1, 10, {32, 16}},
                          {5, 10'000, 10, {5, 5}},
                          {4096, 1, 0, {16, 16}},
                          {4096, 1, 1'000'000, {16, 16}},
                          {4096, 1, 1'000'001, {16, 8}},
                          {4096, 1, 4'000'000, {16, 4}},
                          {4096, 1, 4'000'001, {16, 2}},
                          {4096, 1, 16'000'001, {16, 2}},
                          {0, 5, 10, {1, 1}}};
    for (const Case& each : cases) {
        INFO(each.examples << " of " << each.length << ", " << each.parameters << " parameters");
        const Tensor x = Tensor(real(0)).alias({each.examples, each.length}, Strides{});
        const BatchCut cut = cut_of({{{"x", x}}}, each.parameters);
        CHECK(cut.pieces == each.expected.pieces);
        CHECK(cut.lanes == each.expected.lanes);
    }
    // The longest of several arrays counts, wherever it is; one without a second axis has length 1.
    const auto of = [](index_t length) { return Tensor(real(0)).alias({512, length}, Strides{}); };
    const Tensor labels = Tensor(real(0)).alias({512}, Strides{});
    CHECK(cut_of({{{"a", labels}, {"b", of(8)}, {"c", of(2)}}}, 10).pieces == 16);
    CHECK(cut_of({{{"b", of(2)}, {"a", of(8)}, {"c", labels}}}, 10).pieces == 16);
    CHECK(cut_of({{{"c", labels}}}, 10).pieces == 2);
}

TEST_CASE("on another device a piece has at most 65,536 positions, the same number for every lane") {
    struct Case {
        index_t examples, length, lanes;
        BatchCut expected;
    };
    const Case cases[] = {
        {4, 10, 1, {1, 1}},     {4, 10, 3, {3, 3}},      {2, 10, 5, {2, 2}},      {4, 10, 0, {1, 1}},
        {64, 1024, 1, {1, 1}},  {65, 1024, 1, {2, 1}},   {128, 1024, 1, {2, 1}},  {129, 1024, 1, {3, 1}},
        {256, 1024, 3, {6, 3}}, {192, 1024, 3, {3, 3}},  {193, 1024, 3, {6, 3}},  {3, 65536, 1, {3, 1}},
        {3, 65537, 1, {3, 1}},  {2, 1 << 20, 1, {2, 1}}, {2, 1 << 20, 2, {2, 2}}, {0, 10, 1, {1, 1}}};
    for (const Case& each : cases) {
        INFO(each.examples << " of " << each.length << " in " << each.lanes);
        const Tensor x = Tensor(real(0)).alias({each.examples, each.length}, Strides{});
        const BatchCut cut = cut_of({{{"x", x}}}, 10, Device::oracle, each.lanes);
        CHECK(cut.pieces == each.expected.pieces);
        CHECK(cut.lanes == each.expected.lanes);
    }
}

TEST_CASE("batches: what is loaded in advance is used for its step alone, and not after a failure") {
    Counting data(6);
    Batches batches(data, 2, 42);
    CHECK(batches.per_epoch() == 3);
    std::vector<std::vector<real>> expected;
    for (index_t step = 0; step < 6; ++step) {
        const std::vector<index_t> order = shuffled(6, 42, step / 3);
        const index_t at = step % 3 * 2;
        expected.push_back({static_cast<real>(order[static_cast<std::size_t>(at)] + 1),
                            static_cast<real>(order[static_cast<std::size_t>(at + 1)] + 1)});
        CHECK(batches.of(step)["x"].values() == expected.back());
    }
    batches.prefetch(1);
    data.asked.clear();
    CHECK(batches.of(1)["x"].values() == expected[1]);
    CHECK(data.asked.empty());
    CHECK(batches.of(2)["x"].values() == expected[2]);
    CHECK(data.asked.size() == 1);
    data.missing = shuffled(6, 42, 0)[4];  // the first of step 2
    batches.prefetch(2);
    data.missing = -1;
    for (const index_t step : {0, 1, 2})
        CHECK(batches.of(step)["x"].values() == expected[static_cast<std::size_t>(step)]);
    CHECK_THROWS_AS((data.missing = shuffled(6, 42, 0)[4], batches.of(2)), Error);
}

TEST_CASE("a score over any number of examples: a thousand at a time, and none of none") {
    Adding learner;
    const ParameterBlock parameters([&] { return learner.parameters(); });
    for (const index_t count : {0, 1, 2, 3, 999, 1000, 1001, 2000, 2001}) {
        INFO(count);
        const Counting data(count);
        const Scored score = *evaluate(learner, parameters, data);
        CHECK(score.counted == count);
        CHECK(score.correct == count);
        CHECK(score.has_correct);
        CHECK(score.loss == Approx(count ? (static_cast<double>(count) + 1) / 2 : 0).epsilon(1e-5));
        std::vector<index_t> asked;
        for (index_t left = count; left > 0; left -= 1000) asked.push_back(std::min<index_t>(left, 1000));
        CHECK(data.asked == asked);
    }
    const Counting data(3);
    learner.has_correct = false;
    const Scored without = *evaluate(learner, parameters, data);
    CHECK_FALSE(without.has_correct);
    CHECK((without.correct == 0 && without.counted == 3 && without.loss == Approx(2)));
    learner.none_counts = true;
    CHECK(evaluate(learner, parameters, data)->counted == 0);
    CHECK(evaluate(learner, parameters, data)->loss == 0);
    int calls = 0;
    CHECK_FALSE(evaluate(learner, parameters, Counting(2500), [&] { return ++calls > 0; }));
    CHECK(evaluate(learner, parameters, data, [] { return false; }));
}

TEST_CASE("a score must be a sum: a thousandth of difference is rounding, more is not") {
    Adding learner;
    const auto refused = [&](double factor, double more, const Tensor& x) {
        learner.factor = factor, learner.more = more;
        try {
            check_sums(learner, {{{"x", x}}}, Device::cpu);
            return false;
        } catch (const Error&) {
            return true;
        }
    };
    CHECK_FALSE(refused(1, 0, Tensor{3, 5}));
    for (const double sign : {-1.0, 1.0}) {
        CHECK_FALSE(refused(1 + sign * 0.0009, 0, Tensor{3, 5}));
        CHECK(refused(1 + sign * 0.0011, 0, Tensor{3, 5}));
        CHECK_FALSE(refused(1, sign * 0.0018, Tensor{1, -1}));  // relative to both, whatever their sum
        CHECK(refused(1, sign * 0.0022, Tensor{1, -1}));
        CHECK_FALSE(refused(1, sign * 0.0018, Tensor{-1, 1}));
    }
    CHECK(refused(0.5, 0, Tensor{3, 5, 7}));  // only the first two are looked at
    CHECK_FALSE(refused(0.5, 0, Tensor{3}));
    CHECK_FALSE(refused(0.5, 0, Tensor{INFINITY, 5}));
    CHECK_FALSE(refused(0.5, 0, Tensor{NAN, 5}));
    learner.factor = 0.5, learner.more = 0;
    check_error(
        [&] {
            check_sums(learner, {{{"x", Tensor{3, 5}}}}, Device::cpu);
        },
        "trainer: score() gives a loss of 4 for two examples and 3, 5 for each alone: it must be the "
        "sum over the elements that count, not their mean");
    struct Miscounting : Adding {
        index_t counted(const Examples& some) const override {
            return some.size() == 2 ? 4 : static_cast<index_t>(some["x"].values()[0]);
        }
    } miscounting;
    check_error(
        [&] {
            check_sums(miscounting, {{{"x", Tensor{1, 2}}}}, Device::cpu);
        },
        "trainer: counted() gives 4 for two examples and 1, 2 for each alone: it must be how many "
        "elements of them count");
    CHECK_NOTHROW(check_sums(miscounting, {{{"x", Tensor{1, 3}}}}, Device::cpu));
}

TEST_CASE("a count of right answers is a whole number from 0 to those that count") {
    const auto right = [](real correct, index_t counted) {
        return correct_of({Tensor(real(0)), Tensor(correct)}, counted);
    };
    CHECK(right(0, 5) == 0);
    CHECK(right(5, 5) == 5);
    CHECK(right(0, 0) == 0);
    for (const real wrong : {real(-1), real(6), real(0.5), real(4.5), real(NAN)})
        CHECK_THROWS_AS(right(wrong, 5), Error);
    CHECK(correct_of({Tensor(real(0)), {}}, 5) == 0);
    const Scored score = score_of(0.5, 5, 3), without = score_of(0.5, 5, NAN);
    CHECK((score.loss == 0.5 && score.counted == 5 && score.correct == 3 && score.has_correct));
    CHECK((without.loss == 0.5 && without.counted == 5 && without.correct == 0 && !without.has_correct));
    check_error([] { score_of(0.5, 5, 6); },
                "trainer: score() says that 6 of 5 are correct; it is a whole number from 0 to 5");
}

TEST_CASE("an upload buffer: parts of any type and length begin at multiples of 16 numbers and arrive") {
    struct Pair {
        std::uint32_t first, second;
    };
    UploadBuffer upload;
    const auto one = upload.add<real>(1);
    const auto pairs = upload.add<Pair>(3);
    const auto none = upload.add<real>(0);
    const auto many = upload.add<real>(16);
    const auto more = upload.add<real>(17);
    const auto last = upload.add<double>(2);
    CHECK(one.at == 0);
    CHECK(pairs.at == 16);
    CHECK(none.at == 32);
    CHECK(many.at == 32);
    CHECK(more.at == 48);
    CHECK(last.at == 80);
    upload.pack(Device::cpu);
    const std::vector<real> first{5}, sixteen(16, 2), seventeen(17, 3);
    const std::vector<Pair> both{{1, 2}, {3, 4}, {5, 6}};
    const std::vector<double> doubles{0.1, 0.2};
    for (int i = 0; i < 2; ++i) {
        upload.write<real>(one, first);
        upload.write<Pair>(pairs, both);
        upload.write<real>(none, {});
        upload.write<real>(many, sixteen);
        upload.write<real>(more, seventeen);
        upload.write<double>(last, doubles);
        upload.send();
        CHECK(upload.tensor(one, {}).item() == 5);
        CHECK(upload.tensor(many, {4, 4}).values() == sixteen);
        CHECK(upload.tensor(more, {17}).values() == seventeen);
        for (int k = 0; k < 3; ++k)
            CHECK(upload.device_pointer(pairs)[k].second == static_cast<unsigned>(2 * k + 2));
        CHECK(upload.device_pointer(last)[1] == 0.2);
    }
}
