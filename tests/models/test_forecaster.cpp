#include <glassbox/models/forecaster.h>

#include <glassbox/conventions/draw.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

ForecasterConfig config_of(TimeEncoding encoding, WindowNorm norm,
                           ForecastHead head = ForecastHead::flatten) {
    ForecasterConfig config;
    config.window = 6, config.horizon = 3;
    config.input = {2, 8, encoding, 3, {}};
    config.norm = norm, config.head = head;
    const StackChoices stack{{8, 2, 12, 0}, 1};
    config.encoder = convention("uva-jax").encoder(stack),
    config.decoder = convention("uva-jax").decoder(stack);
    return config;
}

template <class Model>
Model drawn(const ForecasterConfig& config) {
    Model model(config);
    draw(model, convention("uva-jax"), *make_stream(Rng::jax, 1));
    return model;
}

// Row numbers from `first` on, one row for each of two windows.
Tensor times(index_t first, index_t count) {
    std::vector<real> numbers;
    for (index_t i = 0; i < count; ++i) numbers.push_back(static_cast<real>(first + i));
    return broadcast_to(Tensor({count}, numbers), {2, count});
}

template <class F>
void for_configs(F f) {
    for (const TimeEncoding encoding : {TimeEncoding::time2vec, TimeEncoding::sinusoidal, TimeEncoding::none})
        for (const WindowNorm norm : {WindowNorm::none, WindowNorm::last, WindowNorm::revin}) {
            INFO(name(encoding) << " " << name(norm));
            f(encoding, norm);
        }
}

}  // namespace

TEST_CASE("forecaster: shapes, and the steps of every encoding, norm and head") {
    const Tensor x = Random(1).normal({2, 6, 2});
    for_configs([&](TimeEncoding encoding, WindowNorm norm) {
        for (const ForecastHead head : {ForecastHead::flatten, ForecastHead::last}) {
            const auto model = drawn<Forecaster>(config_of(encoding, norm, head));
            Trace trace;
            const Tensor forecast = model(x, times(0, 6));
            CHECK(forecast.shape() == Shape{2, 3, 2});
            CHECK(trace.contains("time2vec/output") == (encoding == TimeEncoding::time2vec));
            CHECK(trace.contains("positional/encoding") == (encoding == TimeEncoding::sinusoidal));
            CHECK(trace.contains("level") == (norm != WindowNorm::none));
            CHECK(trace["flat"].size(-1) == (head == ForecastHead::flatten ? 48 : 8));
            check_close(trace["tau"][0], {-5, -4, -3, -2, -1, 0}, exact, "tau");
        }
    });
}

TEST_CASE(
    "forecaster: with a window norm, a series that is raised by a constant has a forecast raised by it") {
    const Tensor x = Random(2).normal({2, 6, 2});
    for_configs([&](TimeEncoding encoding, WindowNorm norm) {
        const auto model = drawn<Forecaster>(config_of(encoding, norm));
        const Tensor raised = model(x + 16, times(0, 6)) - 16, forecast = model(x, times(0, 6));
        if (norm != WindowNorm::none) check_close(raised, forecast, {1e-4, 1e-4}, "forecast");
        else CHECK_FALSE(all_close(raised, forecast, {1e-2, 1e-2}));
    });
}

TEST_CASE("forecaster: time counts from the window's last value, so when a window is does not matter") {
    const Tensor x = Random(3).normal({2, 6, 2});
    for_configs([&](TimeEncoding encoding, WindowNorm norm) {
        const auto whole = drawn<Forecaster>(config_of(encoding, norm));
        check_close(whole(x, times(0, 6)), whole(x, times(1000, 6)), exact, "encoder");
        const auto steps = drawn<StepForecaster>(config_of(encoding, norm));
        check_close(steps.forecast(x, times(0, 6), times(6, 3)),
                    steps.forecast(x, times(1000, 6), times(1006, 3)), exact, "encoder–decoder");
    });
}

TEST_CASE("step forecaster: its own forecasts fed back are what teacher forcing with them gives") {
    const Tensor x = Random(4).normal({2, 6, 2});
    for_configs([&](TimeEncoding encoding, WindowNorm norm) {
        const auto model = drawn<StepForecaster>(config_of(encoding, norm));
        const Tensor y = model.forecast(x, times(0, 6), times(6, 3));
        CHECK(y.shape() == Shape{2, 3, 2});
        check_close(y, model(x, times(0, 6), values_before(x, y), times(5, 3)), deep, "forecast");
        // A later value that is forced does not change earlier forecasts.
        const Tensor changed = concat({slice(y, -2, 0, 1), slice(y, -2, 1, 3) + 5}, -2);
        const Tensor z = model(x, times(0, 6), values_before(x, changed), times(5, 3));
        check_close(slice(z, -2, 0, 2), slice(y, -2, 0, 2), deep, "before the change");
        CHECK_FALSE(all_close(slice(z, -2, 2, 3), slice(y, -2, 2, 3), {1e-3, 1e-3}));
    });
}

TEST_CASE("forecasters: every parameter gets a gradient") {
    const Tensor x = Random(5).normal({2, 6, 2}), targets = Random(6).normal({2, 3, 2});
    const auto check_all = [&](auto model, auto forecast) {
        Tape tape;
        tape.backward(sum(forecast(model) * targets));
        for (const auto& entry : parameters_of(model).entries()) {
            INFO(entry.name);
            CHECK(sum(abs(tape.gradient(*entry.tensor))).item() > 0);
        }
    };
    const ForecasterConfig config = config_of(TimeEncoding::time2vec, WindowNorm::last);
    check_all(drawn<Forecaster>(config), [&](auto& model) { return model(x, times(0, 6)); });
    check_all(drawn<StepForecaster>(config),
              [&](auto& model) { return model(x, times(0, 6), values_before(x, targets), times(5, 3)); });
}

TEST_CASE("forecaster: other windows and configs that do not fit are refused") {
    const auto model = drawn<Forecaster>(config_of(TimeEncoding::none, WindowNorm::last));
    check_error(
        [&] {
            model(Tensor::zeros({2, 5, 2}), times(0, 5));
        },
        "forecaster: needs x of shape (…, 6, 2), got (2, 5, 2)");
    ForecasterConfig config = config_of(TimeEncoding::none, WindowNorm::last);
    config.horizon = 0;
    check_error([&] { Forecaster{config}; },
                "forecaster: needs a window and a horizon of at least 1, got 6 and 0");
    config.horizon = 1, config.input.d_model = 4;
    check_error([&] { StepForecaster{config}; },
                "forecaster: input, encoder and decoder need the same d_model, got 4, 8 and 8");
}

TEST_CASE("forecaster: its formula in one line") {
    CHECK(formula(config_of(TimeEncoding::time2vec, WindowNorm::last), false) ==
          "forecast = Head(Encoder(InputNet(x − level ‖ Time2Vec(τ)))) + level");
    CHECK(formula(config_of(TimeEncoding::none, WindowNorm::none), true) ==
          "forecast = Head(Decoder(InputNet(before), Encoder(InputNet(x))))");
}
