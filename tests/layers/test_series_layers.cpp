// What a model of series reads and gives back, and how a sequence becomes one row: by hand.
#include <glassbox/layers/pooling.h>
#include <glassbox/layers/series_input.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/paths.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a window is normed by its last value or by its mean and deviation, column by column, and back") {
    const Tensor x({1, 4, 2}, {1, 10, 2, 30, 3, 50, 6, 70});
    const NormedWindow none = normed(x, WindowNorm::none);
    check_close(none.x, x, exact, "none");
    CHECK_FALSE(none.level.defined());
    CHECK_FALSE(none.spread.defined());
    check_close(restored(x, none), x, exact, "none, back");
    check_close(normed_as(x, none), x, exact, "none, of others");

    const NormedWindow last = normed(x, WindowNorm::last);
    check_close(last.level, Tensor({1, 1, 2}, {6, 70}), exact, "last value");
    CHECK_FALSE(last.spread.defined());
    check_close(last.x, Tensor({1, 4, 2}, {-5, -60, -4, -40, -3, -20, 0, 0}), exact, "minus it");
    const Tensor ahead({1, 1, 2}, {2, 4});
    check_close(restored(ahead, last), Tensor({1, 1, 2}, {8, 74}), exact, "plus it");
    check_close(normed_as(ahead, last), Tensor({1, 1, 2}, {-4, -66}), exact, "others minus it");

    // Means 3 and 40; variances (4 + 1 + 0 + 9) / 4 = 3.5 and (900 + 100 + 100 + 900) / 4 = 500.
    const double a = std::sqrt(3.5 + 1e-5), b = std::sqrt(500 + 1e-5);
    const NormedWindow revin = normed(x, WindowNorm::revin);
    check_close(revin.level, Tensor({1, 1, 2}, {3, 40}), rounding, "mean");
    check_close(revin.spread, Tensor({1, 1, 2}, {static_cast<real>(a), static_cast<real>(b)}), rounding,
                "deviation");
    const auto over = [&](double first, double second) {
        return Tensor({1, 1, 2}, {static_cast<real>(first), static_cast<real>(second)});
    };
    check_close(slice(revin.x, 1, 0, 1), over(-2 / a, -30 / b), rounding, "first row");
    check_close(slice(revin.x, 1, 3, 4), over(3 / a, 30 / b), rounding, "last row");
    check_close(restored(ahead, revin), over(2 * a + 3, 4 * b + 40), rounding, "back");
    check_close(normed_as(ahead, revin), over(-1 / a, -36 / b), rounding, "others");
    for (const WindowNorm norm : {WindowNorm::none, WindowNorm::last, WindowNorm::revin}) {
        const NormedWindow window = normed(x, norm);
        check_close(restored(window.x, window), x, chain, "there and back");
        check_close(normed_as(x, window), window.x, chain, "the window's own values");
    }
}

TEST_CASE("a window of one value is its own level; one without is refused") {
    const Tensor one({1, 2}, {5, 7});
    check_close(normed(one, WindowNorm::last).x, Tensor({1, 2}, {0, 0}), exact, "last");
    check_close(normed(one, WindowNorm::revin).x, Tensor({1, 2}, {0, 0}), exact, "revin");
    check_error(
        [] {
            normed(Tensor::zeros({0, 2}), WindowNorm::last);
        },
        "window norm: needs x of shape (…, L, c), got (0, 2)");
    check_error([] { normed(Tensor::zeros({2}), WindowNorm::none); },
                "window norm: needs x of shape (…, L, c), got (2,)");
}

TEST_CASE("the steps of a window's norm") {
    const Tensor x({2, 1}, {1, 3});
    const auto steps_of = [&](WindowNorm norm) {
        const Trace trace;
        restored(x, normed(x, norm));
        return paths(trace);
    };
    CHECK(steps_of(WindowNorm::none).empty());
    CHECK(steps_of(WindowNorm::last) == Names{"level", "centred", "forecast"});
    CHECK(steps_of(WindowNorm::revin) == Names{"level", "spread", "normed", "forecast"});
}

TEST_CASE(
    "the mean, the maximum and the last of a sequence leave padding out, the token in front is its first "
    "row") {
    const Tensor h({2, 3, 2}, {1, -9, 3, -5, 8, -7, 4, 6, 2, 10, 90, 90});
    check_close(pooled(h, Pooling::mean), Tensor{{4, -7}, {32, real(106.0 / 3)}}, rounding, "mean");
    check_close(pooled(h, Pooling::max), Tensor{{8, -5}, {90, 90}}, exact, "max");
    check_close(pooled(h, Pooling::cls), Tensor{{1, -9}, {4, 6}}, exact, "cls");
    check_close(pooled(h, Pooling::last), Tensor{{8, -7}, {90, 90}}, exact, "last");
    const Mask mask = Mask::lengths({1, 2});
    check_close(pooled(h, Pooling::last, mask), Tensor{{1, -9}, {2, 10}}, exact, "masked last");
    check_close(pooled(h, Pooling::last, Mask::lengths({3})), Tensor{{8, -7}, {90, 90}}, exact,
                "last of all");
    check_close(pooled(h, Pooling::mean, mask), Tensor{{1, -9}, {3, 8}}, exact, "masked mean");
    check_close(pooled(h, Pooling::max, mask), Tensor{{1, -9}, {4, 10}}, exact, "masked max");
    check_close(pooled(h, Pooling::cls, mask), Tensor{{1, -9}, {4, 6}}, exact, "masked cls");
    check_close(pooled(h, Pooling::mean, Mask::lengths({2})), Tensor{{2, -7}, {3, 8}}, exact, "one for all");
    const Tensor one = h[0];  // (T, d), without a batch
    check_close(pooled(one, Pooling::mean, Mask::lengths({2})), Tensor{2, -7}, exact, "one sequence");
    check_close(pooled(one, Pooling::max, Mask::lengths({2})), Tensor{3, -5}, exact, "its maximum");
    check_close(pooled(one, Pooling::mean, Mask::lengths({3})), Tensor{4, -7}, rounding, "all of it");
    const Tensor batches = reshape(h, {2, 1, 3, 2});
    check_close(pooled(batches, Pooling::mean, mask), Tensor({2, 1, 2}, {1, -9, 3, 8}), exact, "4 axes");
    check_close(pooled(batches, Pooling::max, mask), Tensor({2, 1, 2}, {1, -9, 4, 10}), exact, "4 axes, max");
    CHECK(std::isnan(pooled(one, Pooling::mean, Mask::lengths({0})).at({0})));
    // Only lengths count: what a causal mask hides from attention is not padding.
    check_close(pooled(one, Pooling::mean, Mask::causal()), Tensor{4, -7}, rounding, "causal");
}

TEST_CASE("what cannot be pooled is refused, and a token in front is added to every sequence") {
    check_error([] { pooled(Tensor::zeros({3}), Pooling::mean); },
                "pooling: needs h of shape (…, T, d), got (3,)");
    check_error(
        [] {
            pooled(Tensor::zeros({0, 3}), Pooling::max);
        },
        "predictor: an empty sequence has no max");
    check_error(
        [] {
            pooled(Tensor::zeros({2, 3}), Pooling::none);
        },
        "pooling: needs mean, max, cls or last, got none");
    check_close(with_cls(Tensor{7, 8}, Tensor({2, 1, 2}, {1, 2, 3, 4})),
                Tensor({2, 2, 2}, {7, 8, 1, 2, 7, 8, 3, 4}), exact, "cls");
    check_close(with_cls(Tensor{7, 8}, Tensor::zeros({0, 2})), Tensor{{7, 8}}, exact, "of nothing");
    check_close(pooled(Tensor({1, 2}, {3, 4}), Pooling::mean), Tensor{3, 4}, exact, "one element");
}

TEST_CASE("a series' input: values and time projected, by each encoding, with its steps and parameters") {
    Random random(1);
    const Tensor x = random.normal({2, 4, 3}), time = random.normal({2, 4});
    for (const TimeEncoding encoding :
         {TimeEncoding::time2vec, TimeEncoding::sinusoidal, TimeEncoding::none}) {
        SeriesInputConfig config;
        config.columns = 3, config.d_model = 6, config.encoding = encoding, config.time_width = 5;
        SeriesInput layer(config);
        const bool has_time = encoding == TimeEncoding::time2vec;
        CHECK(layer.input_net.weight.shape() == Shape{6, has_time ? 8 : 3});
        Names names;
        for (const auto& entry : parameters_of(layer).entries()) names.push_back(entry.name);
        CHECK(names == (has_time
                            ? Names{"time2vec.omega", "time2vec.phi", "input_net.weight", "input_net.bias"}
                            : Names{"input_net.weight", "input_net.bias"}));
        layer.input_net = {random.normal(layer.input_net.weight.shape()), random.normal({6})};
        layer.time2vec.omega = random.normal({5}), layer.time2vec.phi = random.normal({5});
        const Trace trace;
        const Tensor h = layer(x, time);
        const Tensor features = has_time ? layer.time2vec(x, time) : x;
        Tensor expected = layer.input_net(features);
        if (encoding == TimeEncoding::sinusoidal) expected = expected + sinusoidal_encoding(4, 6);
        check_close(h, expected, chain, name(encoding));
        CHECK(trace.contains("input_net"));
        CHECK(trace.contains("time2vec/time2vec") == has_time);
        CHECK(trace.contains("positional/encoding") == (encoding == TimeEncoding::sinusoidal));
        check_error(
            [&] {
                layer(Tensor::zeros({4, 2}), time);
            },
            "series input: needs x of shape (…, T, 3), got (4, 2)");
        check_error([&] { layer(Tensor::zeros({3}), time); },
                    "series input: needs x of shape (…, T, 3), got (3,)");
    }
    SeriesInputConfig none;
    none.columns = 0;
    check_error([&] { SeriesInput{none}; }, "series input: needs at least 1 column, got 0");
    none.columns = 1;
    CHECK(SeriesInput(none).input_net.weight.shape() == Shape{32, 17});
}

TEST_CASE("Time2Vec of width 1 has only the trend, and needs a series with an axis of time") {
    Time2Vec layer(1);
    layer.omega = Tensor{2}, layer.phi = Tensor{1};
    check_close(layer(Tensor(Shape{2, 1}, {5, 6}), Tensor{3, 4}), Tensor{{5, 7}, {6, 9}}, exact, "trend");
    check_error(
        [&] {
            layer(Tensor{1, 2}, Tensor{1, 2});
        },
        "time2vec: needs a series of shape (…, T, features), got (2,)");
}
