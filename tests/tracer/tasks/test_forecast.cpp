#include <cmath>

#include <nlohmann/json.hpp>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/forecast_learner.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/errors.h"
#include "tasks/shared/forecast_data.h"
#include "tasks/shared/forecast_model.h"
#include "tasks/shared/forecast_report.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Settings small_forecast(Settings::Texts more = {}) {
    Settings::Texts texts{{"length", "300"}, {"window", "24"}, {"horizon", "4"}, {"periods", "12,20"},
                          {"dmodel", "8"},   {"heads", "2"},   {"layers", "1"},  {"time-width", "4"}};
    for (const auto& [name, text] : more) texts[name] = text;
    return settings_of(task("forecast"), texts);
}

}  // namespace

TEST_CASE("forecast: the scale is that of the training part, and kept with the model") {
    const ForecastData data = forecast_data(read<ForecastSettings>(small_forecast()));
    CHECK(data.split.training == 210);
    const Tensor training = slice(data.series.values, 0, 0, 210);
    check_close(data.scaling.mean, mean(training, 0), chain, "mean");
    check_close(data.scaling.deviation, sqrt(var(training, 0)), chain, "deviation");
    Settings::Texts all = small_forecast().texts();
    for (const auto& [name, text] : kept_texts(data)) all[name] = text;
    const LearnedScale kept = kept_scale(read<ForecastSettings>(Settings(all)));
    check_close(kept.scaling.mean, data.scaling.mean, exact, "mean kept");
    check_close(kept.scaling.deviation, data.scaling.deviation, exact, "deviation kept");
    CHECK(kept.season == 12);
    CHECK(kept.columns == std::vector<std::string>{"value"});
    all["deviation"] = "1,2";
    check_error([&] { kept_scale(read<ForecastSettings>(Settings(all))); },
                "its settings have 1 columns and 2 numbers of deviation");
    all["deviation"] = all["mean"] = "1,2,3", all["columns"] = "north\n\n";
    CHECK(kept_scale(read<ForecastSettings>(Settings(all))).columns ==
          std::vector<std::string>{"north", "", ""});
    const ForecastData unscaled = forecast_data(read<ForecastSettings>(small_forecast({{"scale", "none"}})));
    check_close(unscaled.scaled_values, unscaled.series.values, exact, "--scale none");
}

TEST_CASE("forecast: the loss is the squared error of what is known, and counts that") {
    const auto learner = forecast_learner(read<ForecastSettings>(small_forecast({{"dropout", "0"}})), 1);
    Examples examples = forecast_data(read<ForecastSettings>(small_forecast())).training().at({0, 5});
    for (auto& [name, array] : examples.arrays)
        if (name == "known") array = Tensor({2, 4, 1}, {1, 1, 0, 1, 0, 0, 0, 1});
    const Tensor y = learner->forecast(examples);
    const std::vector<real> forecast = y.values(), targets = examples["targets"].values(),
                            known = examples["known"].values();
    double expected = 0;
    for (std::size_t i = 0; i < known.size(); ++i)
        expected +=
            static_cast<double>(known[i]) * std::pow(static_cast<double>(forecast[i] - targets[i]), 2);
    CHECK(learner->counted(examples) == 4);
    Trace trace;
    CHECK(static_cast<double>(learner->score(examples).loss.item()) == Approx(expected).epsilon(1e-5));
    CHECK(trace["losses"].values()[2] == 0);
}

TEST_CASE("forecast: a restored training ends in the same bits, with both models") {
    for (const char* model : {"encoder", "encoder-decoder"}) {
        INFO(model);
        const Settings s = small_forecast({{"model", model}, {"epochs", "2"}, {"batch", "50"}});
        const auto finished = [&](index_t stop) {
            WindowData data = forecast_data(read<ForecastSettings>(s)).training();
            const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
            Trainer trainer(*learner, data, trainer_config(s, data.size()));
            while (trainer.steps_done() < stop) trainer.step();
            const auto again = forecast_learner(read<ForecastSettings>(s), 1);
            Trainer restored(*again, data, trainer_config(s, data.size()));
            restored.restore(trainer.checkpoint());
            while (!restored.is_finished()) restored.step();
            return restored.parameters().values().values();
        };
        CHECK(finished(0) == finished(4));
    }
}

TEST_CASE("forecast: a short training beats the naive baselines, and its report says so") {
    const Settings s = small_forecast(
        {{"epochs", "15"}, {"batch", "16"}, {"rate", "0.003"}, {"dropout", "0"}, {"noise", "0.1"}});
    const ForecastData data = forecast_data(read<ForecastSettings>(s));
    WindowData training = data.training();
    const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
    Trainer trainer(*learner, training, trainer_config(s, training.size()));
    while (!trainer.is_finished()) trainer.step();
    const TestReport report = forecast_report(data, *learner, "encoder", Device::cpu);
    REQUIRE(report.fields[0].first == "errors");
    std::vector<double> rmse;
    for (const auto& each : nlohmann::json::parse(report.fields[0].second)) rmse.push_back(each["rmse"]);
    REQUIRE(rmse.size() == 4);  // encoder, last value, seasonal naive, linear
    CHECK(rmse[0] < rmse[1]);
    CHECK(rmse[0] < rmse[2]);
    CHECK(rmse[3] < rmse[2]);
}

TEST_CASE("forecast: Time2Vec's waves are listed by the size with which they enter the model") {
    SeriesInput input({1, 2, TimeEncoding::time2vec, 3, {}});
    input.time2vec.omega = Tensor{9, 0.5, -0.25}, input.time2vec.phi = Tensor{0, 1, 2};
    input.input_net.weight = Tensor{{7, 7, 0, 3}, {7, 7, 1, 4}};
    const std::vector<Wave> waves = waves_of(input);
    REQUIRE(waves.size() == 2);
    CHECK(waves[0].period == Approx(2 * 3.14159265358979 / 0.25));
    CHECK(waves[0].amplitude == Approx(5));
    CHECK(waves[0].phase == Approx(2));
    CHECK(waves[1].amplitude == Approx(1));
}

TEST_CASE("forecast: settings that make no task are refused by name") {
    const auto refused = [](const Settings::Texts& more, const std::string& message) {
        check_error<UsageError>([&] { forecast_data(read<ForecastSettings>(small_forecast(more))); },
                                message);
    };
    refused({{"split", "0.5,0.5"}}, "--split: expected three parts above 0 that add up to 1, got 0.5,0.5");
    refused({{"split", "0.5,0.6,-0.1"}},
            "--split: expected three parts above 0 that add up to 1, got 0.5,0.6,-0.1");
    refused({{"split", "a,b,c"}}, "--split: expected a number, got 'a'");
    refused({{"season", "25"}}, "--season: expected at most 24, got 25");
    refused({{"amplitudes", "1"}}, "generated series: needs as many amplitudes as periods, got 1 and 2");
    refused({{"window", "0"}}, "--window: expected at least 1, got 0");
    check_error<IoError>(
        [&] {
            forecast_data(read<ForecastSettings>(small_forecast({{"series", "/nonexistent.csv"}})));
        },
        "/nonexistent.csv: cannot open: No such file or directory");
}
