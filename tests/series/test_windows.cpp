#include <glassbox/series/windows.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/scaling.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// `series` with other values from row `from` on.
Tensor with_other_future(const Tensor& series, index_t from) {
    const Tensor past = slice(series, 0, 0, from);
    return concat({past, slice(series, 0, from, series.size(0)) * -3 + 17}, 0);
}

bool same_bits(const Examples& a, const Examples& b) {
    for (const auto& [name, array] : a.arrays)
        if (array.values() != b[name].values()) return false;
    return true;
}

}  // namespace

TEST_CASE("windows: x ends at t, and the targets begin after it") {
    Trace trace;
    const Tensor series{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}};
    window_at(series, 2, {2, 2});
    check_close(trace["x"], {{1, 11}, {2, 12}}, exact, "x");
    check_close(trace["targets"], {{3, 13}, {4, 14}}, exact, "targets");
    for (const index_t t : {0, 3, -1, 5})
        check_error(
            [&] {
                window_at(series, t, {2, 2});
            },
            "window: needs 2 values up to t = " + std::to_string(t) +
                " and 2 after it, got a series of shape (5, 2)");
}

TEST_CASE("windows: those of a part are the rows of the data set whose targets lie in it") {
    for_seeds(20, [](Random& random) {
        const WindowConfig config{random.whole(1, 6), random.whole(1, 3)};
        const index_t training = config.window + config.horizon + random.whole(0, 9);
        const index_t T = training + config.horizon + random.whole(0, 9);
        const Tensor series = random.normal({T, 2}), known = Tensor::ones({T, 2});
        const Tensor part = window_parts(T, training, config);
        for (const int of : {part_training, part_test}) {
            const bool is_test = of == part_test;
            const WindowData data(series, known, is_test ? training : 0, is_test ? T : training, config);
            const Window windows = windows_of(series, part, of, config);
            check_close(windows.x, data.all()["x"], exact, "x");
            check_close(windows.targets, data.all()["targets"], exact, "targets");
            index_t count = 0;
            for (const real each : part.values()) count += each == static_cast<real>(of);
            CHECK(count == data.size());
        }
    });
}

TEST_CASE("windows: a part that somebody else says may have none, and times without a whole window") {
    const Tensor series({5, 1}, {0, 1, 2, 3, 4}), part({5}, {1, 1, 0, 1, 1}), none({5}, {1, 0, 0, 0, 1});
    const Window windows = windows_of(series, part, part_training, {2, 1});
    check_close(windows.x, Tensor({2, 2, 1}, {0, 1, 2, 3}), exact, "x");
    check_error([&] { (void)windows_of(series, none, part_training, {2, 1}); }, "windows: none has part 1");
}

TEST_CASE("windows: a data set's rows are the windows at its times, one after the other") {
    for_seeds(20, [](Random& random) {
        const index_t T = random.whole(10, 40), begin = random.whole(0, 5), end = random.whole(begin + 3, T);
        const WindowConfig config{random.whole(1, 6), random.whole(1, 3)};
        const Tensor series = random.normal({T, 2}), known = random.zeros_and_ones({T, 2});
        const WindowData data(series, known, begin, end, config);
        index_t count = 0;
        for (index_t t = config.window - 1; t + config.horizon < end; ++t) {
            if (t + 1 < begin) continue;  // a target before `begin`
            const Examples row = data.at({count});
            CHECK(data.t(count) == t);
            const Window window = window_at(series, t, config);
            check_close(select(row["x"], 0, 0), window.x, exact, "x");
            check_close(select(row["targets"], 0, 0), window.targets, exact, "targets");
            check_close(select(row["known"], 0, 0), window_at(known, t, config).targets, exact, "known");
            CHECK(row["time"].values().back() == static_cast<real>(t));
            CHECK(row["target_time"].values().front() == static_cast<real>(t + 1));
            ++count;
        }
        CHECK(data.size() == count);
        check_error([&] { data.at({count}); },
                    "windows: no window " + std::to_string(count) + ": there are " + std::to_string(count));
    });
}

TEST_CASE("windows: no window sees what follows its part of the series: other values there change no bit") {
    for_seeds(10, [](Random& random) {
        const index_t T = 60;
        const WindowConfig config{random.whole(1, 8), random.whole(1, 4)};
        const Split split = split_by_time(T, 0.2, 0.2, config);
        const Tensor series = random.normal({T, 2}), known = Tensor::ones({T, 2});
        for (const auto& [begin, end] :
             {std::pair{index_t{0}, split.training}, {split.training, split.validation}}) {
            const Tensor other = with_other_future(series, end);
            // As the task makes them: scaled by what the training part alone teaches.
            const auto windows = [&, begin = begin, end = end](const Tensor& values) {
                const Scaling scaling =
                    learned_scaling(slice(values, 0, 0, split.training), slice(known, 0, 0, split.training));
                return WindowData(scaled(values, scaling), known, begin, end, config).all();
            };
            CHECK(same_bits(windows(series), windows(other)));
            // The comparison can fail: one value of the part itself shows.
            CHECK_FALSE(same_bits(windows(series), windows(with_other_future(series, end - 1))));
        }
    });
}

TEST_CASE("windows: nor does a window's x change with its own targets") {
    const Tensor series = Random(3).normal({30, 1}), known = Tensor::ones({30, 1});
    const WindowConfig config{5, 3};
    const WindowData data(series, known, 0, 30, config);
    for (index_t row = 0; row < data.size(); ++row) {
        const index_t t = data.t(row);
        const WindowData other(with_other_future(series, t + 1), known, 0, 30, config);
        CHECK(data.at({row})["x"].values() == other.at({row})["x"].values());
        CHECK(data.at({row})["targets"].values() != other.at({row})["targets"].values());
    }
}

TEST_CASE("windows: those without a known target can be left out, and then every one can teach") {
    // The rows 4 to 9 of both columns are unknown, and row 2 of the second.
    std::vector<real> measured(32, 1);
    for (std::size_t i = 8; i < 20; ++i) measured[i] = 0;
    measured[5] = 0;
    const Tensor series = Random(4).normal({16, 2}), known({16, 2}, measured);
    const WindowData all(series, known, 0, 16, {2, 3}),
        some(series, known, 0, 16, {2, 3}, Targets::some_known);
    CHECK(all.size() == 12);  // t = 1 … 12
    CHECK(all.left_out() == 0);
    REQUIRE(some.size() == 8);
    CHECK(some.left_out() == 4);  // t = 3 … 6, whose targets are rows 4 … 9
    const index_t expected[] = {1, 2, 7, 8, 9, 10, 11, 12};
    for (index_t row = 0; row < 8; ++row) {
        const index_t t = expected[row];
        CHECK(some.t(row) == t);
        CHECK(same_bits(some.at({row}), all.at({t - 1})));
        CHECK(sum(some.at({row})["known"]).item() > 0);
    }
    check_error([&] { (void)some.t(8); }, "windows: no window 8: there are 8");
    check_error([&] { (void)some.t(-1); }, "windows: no window -1: there are 8");
}

TEST_CASE("windows: a split is in the order of time, and says what is too short") {
    const Split split = split_by_time(100, 0.1, 0.2, {20, 10});
    CHECK(split.training == 70);
    CHECK(split.validation == 80);
    CHECK(split.end == 100);
    check_error<UsageError>(
        [] {
            split_by_time(100, 0.1, 0.2, {61, 10});
        },
        "series: 100 values make parts of 70 for training, 10 for validation and 20 for the "
        "test; a window of 61 and a horizon of 10 need at least 71, 10 and 10; --window 21 --horizon 5 fit");
    check_error<UsageError>(
        [] {
            split_by_time(100, 0.1, 0.2, {20, 11});
        },
        "series: 100 values make parts of 70 for training, 10 for validation and 20 for the "
        "test; a window of 20 and a horizon of 11 need at least 31, 11 and 11; --window 20 --horizon 5 fit");
    check_error<UsageError>(
        [] {
            split_by_time(100, 0.1, 0.2, {0, 1});
        },
        "windows: needs a window and a horizon of at least 1, got 0 and 1");
}

TEST_CASE("scaling: a constant column has its value as mean and deviation 1, however its sum is rounded") {
    for (const index_t count : {1, 3, 10, 147, 1000})
        for (const double value : {0.9, 0.1, -1e-3, 1234.567, 0.0}) {
            INFO(count << " values of " << value);
            const Tensor column = Tensor::full({count, 1}, value);
            const Scaling constant = learned_scaling(column, Tensor::ones({count, 1}));
            check_close(constant.mean, Tensor::full({1}, value), exact, "mean");
            check_close(constant.deviation, {1}, exact, "deviation");
            // Beside a column that varies, and with another value that is not known.
            const Tensor x =
                concat({concat({column, column}, 1), Tensor({1, 2}, {7, static_cast<real>(value + 1)})}, 0);
            const Tensor known = concat({Tensor::ones({count, 2}), Tensor{{0, 1}}}, 0);
            const Scaling both = learned_scaling(x, known);
            check_close(select(both.mean, 0, 0), Tensor::full({}, value), exact, "mean of known");
            check_close(select(both.deviation, 0, 0), Tensor(1.0), exact, "deviation of known");
            CHECK(both.deviation.at({1}) > 0);
            CHECK(both.deviation.at({1}) < 1);
        }
}

TEST_CASE("scaling: mean and deviation of the known values, and back") {
    Trace trace;
    const Scaling scaling = learned_scaling({{1, 5}, {3, 5}, {100, 5}}, {{1, 1}, {1, 1}, {0, 1}});
    check_close(trace["mean"], {2, 5}, exact, "mean");
    check_close(trace["deviation"], {1, 0}, exact, "deviation");
    check_close(scaling.deviation, {1, 1}, exact, "a constant column");
    const Tensor x{{0, 6}, {4, 5}};
    check_close(scaled(x, scaling), {{-2, 1}, {2, 0}}, exact, "scaled");
    check_close(unscaled(scaled(x, scaling), scaling), x, exact, "unscaled");
    check_error(
        [] {
            learned_scaling({1, 2}, {1, 1});
        },
        "scaling: needs values and known of one shape (T, c), got (2,) and (2,)");
}
