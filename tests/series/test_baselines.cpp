#include <cmath>

#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/generated_series.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/scaling.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const Npz& golden_file() {
    static const Npz file(GLASSBOX_GOLDEN "/series.npz");
    return file;
}

Tensor golden_array(const char* name) { return golden_file().read(name); }

// The file's numbers are float, in a double build too.
constexpr Tolerance golden_in_float = in_double ? Tolerance{1e-6, 1e-6} : chain;

}  // namespace

TEST_CASE("naive forecasts: the last value, and the season again and again") {
    const Tensor x{{1, -1}, {2, -2}, {3, -3}};
    check_close(last_value_forecast(x, 2), {{3, -3}, {3, -3}}, exact, "last value");
    check_close(seasonal_naive_forecast(x, 5, 2), {{2, -2}, {3, -3}, {2, -2}, {3, -3}, {2, -2}}, exact,
                "season 2");
    check_close(seasonal_naive_forecast(x, 2, 3), {{1, -1}, {2, -2}}, exact, "season 3");
    check_close(seasonal_naive_forecast(x, 2, 1), last_value_forecast(x, 2), exact, "season 1");
    for (const index_t season : {0, 4})
        check_error([&] { seasonal_naive_forecast(x, 1, season); },
                    "seasonal naive forecast: needs a season from 1 to the window's 3, got " +
                        std::to_string(season));
    check_error([&] { last_value_forecast(x, 0); },
                "naive forecast: needs x of shape (…, L, c) and a horizon of at least 1, got (3, 2) and 0");
}

TEST_CASE("forecast errors: MAE, RMSE and MASE by hand, over what is known") {
    Trace trace;
    const Tensor scale =
        seasonal_scale({{1, 0}, {2, 0}, {4, 6}, {8, 0}}, {{1, 1}, {1, 1}, {1, 1}, {1, 0}}, 2);
    check_close(scale, {4.5, 6}, exact, "scale");  // |4 − 1|, |8 − 2|; |6 − 0|
    const Tensor forecast{{1, 1}, {5, 2}}, truth{{2, 1}, {2, 9}}, known{{1, 1}, {1, 0}};
    forecast_errors(forecast, truth, known, scale);
    check_close(trace["mae"], {2, 0}, exact, "mae");
    check_close(trace["rmse"], {std::sqrt(5.0), 0}, rounding, "rmse");
    check_close(trace["mase"], {2 / 4.5, 0}, rounding, "mase");
    // A column without two known values m steps apart has no scale, the others have theirs.
    const std::vector<real> scales =
        seasonal_scale({{1, 1}, {2, 2}, {3, 4}}, {{1, 1}, {0, 1}, {1, 1}}, 1).values();
    CHECK(std::isnan(scales[0]));
    CHECK(scales[1] == 1.5);
    check_error(
        [] {
            seasonal_scale({{1}, {2}}, {{1}, {1}}, 2);
        },
        "mase: needs values and known of one shape (T, c) and a season from 1 to T − 1, got (2, 1), (2, 1) "
        "and 2");
    check_error(
        [&] {
            forecast_errors(forecast, {{1, 2}}, known, scale);
        },
        "forecast errors: needs forecast, truth and known of one shape, got (2, 2), (1, 2) and (2, 2)");
}

TEST_CASE("forecast errors: those of sktime and scikit-learn") {
    const Tensor training = golden_array("training"), truth = golden_array("truth"),
                 forecast = golden_array("forecast");
    const Tensor known = Tensor::ones(training.shape());
    for (const index_t season : {1, 12}) {
        const ForecastErrors errors = forecast_errors(forecast, truth, Tensor::ones(truth.shape()),
                                                      seasonal_scale(training, known, season));
        check_close(errors.mae, golden_array("mae"), golden_in_float, "mae");
        check_close(errors.rmse, golden_array("rmse"), golden_in_float, "rmse");
        check_close(errors.mase, golden_array(season == 1 ? "mase/1" : "mase/12"), golden_in_float, "mase");
    }
    const Scaling scaling = learned_scaling(training, known);
    check_close(scaling.mean, golden_array("mean"), chain, "mean");
    check_close(scaling.deviation, golden_array("deviation"), chain, "deviation");
}

TEST_CASE("linear forecaster: trend and remainder by hand, beyond the ends the outermost values") {
    LinearForecaster model(4, 1, 3);
    model.trend.weight = Tensor{{1, 0, 0, 0}}, model.remainder.weight = Tensor{{0, 0, 0, 10}};
    model.trend.bias = Tensor{100};
    Trace trace;
    const Tensor forecast = model({{3}, {6}, {0}, {9}});
    check_close(trace["trend"], {{4}, {3}, {5}, {6}}, rounding, "trend");
    check_close(trace["remainder"], {{-1}, {3}, {-5}, {3}}, rounding, "remainder");
    check_close(forecast, {{134}}, rounding, "forecast");
    check_error(
        [] { LinearForecaster(4, 1, 2); },
        "linear forecaster: needs a window and a horizon of at least 1 and an odd width, got 4, 1 and 2");
    check_error([&] { model({{1}, {2}}); }, "linear forecaster: needs x of shape (…, 4, c), got (2, 1)");
}

TEST_CASE(
    "linear forecaster: fitted, it forecasts as scikit-learn's ridge regression on trend and remainder") {
    const Tensor x = golden_array("ridge/x"), targets = golden_array("ridge/targets");
    LinearForecaster model(x.size(1), targets.size(1), 5);
    fit(model, x, targets, Tensor::ones(targets.shape()), 0.1);
    check_close(model(golden_array("ridge/new")), golden_array("ridge/forecast"), {1e-4, 1e-4}, "forecast");
}

TEST_CASE("linear forecaster: step by step each forecast is the newest value of the next window") {
    LinearForecaster model(3, 2, 1);  // the trend is x
    model.trend = {Tensor{{1, 0, 2}, {9, 9, 9}}, Tensor{0.5, 7}};
    const Trace trace;
    const Tensor made = stepwise_forecast(model, Tensor({1, 3, 1}, {1, 2, 3}), 3);
    check_close(made, Tensor({1, 3, 1}, {7.5, 17.5, 38.5}), exact, "forecast");
    check_close(trace["step/2/window"], Tensor({1, 3, 1}, {3, 7.5, 17.5}), exact, "the last window");
    check_close(trace["step/2/next"], Tensor({1, 1, 1}, {38.5}), exact, "the last step");
}

TEST_CASE("linear forecaster: finds a linear rule exactly, and unknown targets do not count") {
    Random random(5);
    const Tensor x = random.normal({200, 6, 2});
    const Tensor w = random.normal({2, 6});
    const Tensor targets = matmul(w, x) + 3;  // (200, 2, 2)
    std::vector<real> known(800, 1), wrong = targets.values();
    // Of the first ten windows the first target of the first column is unknown.
    for (std::size_t i = 0; i < 40; i += 4) wrong[i] = 1e6, known[i] = 0;
    LinearForecaster model(6, 2, 3);
    fit(model, x, Tensor(targets.shape(), wrong), Tensor(targets.shape(), known), 0);
    check_close(model(x), targets, {1e-3, 1e-3}, "forecast");
    check_error([&] { fit(model, x, targets, Tensor::zeros(targets.shape()), 0); },
                "linear forecaster: needs a known target, and none of 800 is known");
}

namespace {

// What is known of days in a series without weekends: (n, H, 1), of a window that ends on each day in turn.
Tensor weekdays(index_t n, index_t H) {
    std::vector<real> known;
    for (index_t t = 0; t < n; ++t)
        for (index_t h = 1; h <= H; ++h) known.push_back((t + h) % 7 < 5 ? real(1) : real(0));
    return Tensor({n, H, 1}, known);
}

}  // namespace

TEST_CASE("linear forecaster: is fitted where no window knows all of its targets, as without weekends") {
    Random random(6);
    const Tensor x = random.normal({200, 6, 1}), w = random.normal({8, 6}), known = weekdays(200, 8);
    const Tensor targets = matmul(w, x) - 2;  // (200, 8, 1)
    REQUIRE(max(min(known, 1), 0).item() == 0);
    LinearForecaster model(6, 8, 3);
    fit(model, x, known * targets + (1 - known) * 1e6, known, 0);
    check_close(model(x), targets, {1e-3, 1e-3}, "forecast");
}

TEST_CASE("linear forecaster: each step ahead is fitted to the windows that know its target, as if alone") {
    Random random(7);
    const Tensor x = random.normal({60, 5, 2}), targets = random.normal({60, 4, 2});
    // The first two steps share their equations.
    const Tensor some = random.zeros_and_ones({60, 3, 2});
    const Tensor known = concat({slice(some, 1, 0, 1), some}, 1);  // (60, 4, 2)
    LinearForecaster together(5, 4, 3);
    fit(together, x, targets, known, 0.1);
    for (int h = 0; h < 4; ++h) {
        INFO("step " << h);
        LinearForecaster alone(5, 1, 3);
        fit(alone, x, slice(targets, 1, h, h + 1), slice(known, 1, h, h + 1), 0.1);
        check_close(slice(together(x), 1, h, h + 1), alone(x), chain, "forecast");
    }
}

TEST_CASE("linear forecaster: a step ahead that is never known is forecast as the last value") {
    Random random(8);
    const Tensor x = random.normal({40, 6, 1}), targets = matmul(random.normal({3, 6}), x);
    const Tensor known = Tensor({3, 1}, {1, 0, 1}) * Tensor::ones(targets.shape());
    LinearForecaster model(6, 3, 3);
    fit(model, x, targets, known, 0);
    const Tensor forecast = model(x);
    check_close(select(forecast, 1, 1), select(x, 1, 5), chain, "never known");
    for (const int h : {0, 2})
        check_close(select(forecast, 1, h), select(targets, 1, h), {1e-3, 1e-3}, "known");
}

TEST_CASE("linear forecaster: fitted with several λ, each model is the one of its λ") {
    Random random(9);
    const Tensor x = random.normal({60, 5, 2}), targets = random.normal({60, 4, 2});
    const Tensor known = random.zeros_and_ones({60, 4, 2});
    const std::vector<double> lambdas = {0, 0.1, 10};
    const std::vector<LinearForecaster> models =
        fitted(LinearForecaster(5, 4, 3), x, targets, known, lambdas);
    REQUIRE(models.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        LinearForecaster one(5, 4, 3);
        fit(one, x, targets, known, lambdas[i]);
        check_close(models[i](x), one(x), exact, "forecast");
    }
}

TEST_CASE("generated series: the formula, with NumPy's numbers") {
    GeneratedSeriesConfig config;
    config.length = 200;
    const GeneratedSeries made = generated_series(config);
    check_close(made.series.values, golden_array("generated"), chain, "values");
    CHECK(made.series.known.values() == std::vector<real>(200, 1));
    config.noise = 0;
    const Tensor signal = generated_series(config).series.values;
    check_close(made.series.values - signal, made.noise, chain, "noise");
    config.periods = {24};
    check_error<UsageError>([&] { generated_series(config); },
                            "generated series: needs as many amplitudes as periods, got 2 and 1");
}
