// What is said about a series: the header, the report, and the answers, of a model whose forecast is known.
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "support/transcript.h"
#include "tasks/shared/forecast_data.h"
#include "tasks/shared/forecast_model.h"
#include "tasks/shared/forecast_report.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;
using nlohmann::json;

namespace {

using Lines = std::vector<std::string>;

std::string date(int t) {
    static const int days[] = {31, 29, 31, 30, 31};
    int month = 0;
    while (t >= days[month]) t -= days[month++];
    return fmt::format("2024-{:02}-{:02}", month + 1, t + 1);
}
// Two columns of days from 2024-01-01 on; day 115 has no value in the first. They are small: four decimals do
// not show a float's rounding.
std::string days(int begin, int count) {
    std::string text = "date,north,south\n";
    for (int t = begin; t < begin + count; ++t)
        text += fmt::format("{},{},{:.3f}\n", date(t),
                            t == 115 ? "" : fmt::format("{:.2f}", 0.01 * (10 + t % 7 + t * t % 3)),
                            0.001 * (100 + t - t * t % 5));
    return text;
}

Settings small_days(const Settings::Texts& more) {
    Settings::Texts texts{{"window", "14"}, {"horizon", "3"},    {"dmodel", "8"},
                          {"heads", "2"},   {"time-width", "4"}, {"layers", "1"}};
    for (const auto& [name, text] : more) texts[name] = text;
    return settings_of(task("forecast"), texts);
}

Settings with_kept(const Settings& s) {
    Settings::Texts all = s.texts();
    for (const auto& [name, text] : kept_texts(forecast_data(read<ForecastSettings>(s)))) all[name] = text;
    return Settings(all);
}

// The forecast is the window's last value, plus these numbers of deviations: (H, c).
void set_forecast(Parameters&& parameters, const std::vector<real>& by) {
    for (const auto& entry : std::move(parameters).entries()) {
        if (entry.name == "head.weight") *entry.tensor = Tensor::zeros(entry.tensor->shape());
        if (entry.name == "head.bias") *entry.tensor = Tensor(entry.tensor->shape(), by);
    }
}

// λ as the report is to choose it.
double best_lambda(const ForecastData& data) {
    const Examples training = data.training().all(), validation = data.validation().all();
    double best = std::numeric_limits<double>::infinity(), chosen = 0;
    for (int power = -4; power <= 2; ++power) {
        LinearForecaster model(data.config.window, data.config.horizon);
        const double lambda = std::pow(10.0, power);
        fit(model, training["x"], training["targets"], training["known"], lambda);
        const Tensor off = validation["known"] * (model(validation["x"]) - validation["targets"]);
        double error = 0;
        for (index_t c = 0; c < off.size(2); ++c) {
            double squares = 0, count = 0;
            for (index_t i = 0; i < off.size(0); ++i)
                for (index_t h = 0; h < off.size(1); ++h) {
                    squares += std::pow(static_cast<double>(off.at({i, h, c})), 2);
                    count += static_cast<double>(validation["known"].at({i, h, c}));
                }
            if (count > 0) error += std::sqrt(squares / count);
        }
        if (error < best) best = error, chosen = lambda;
    }
    return chosen;
}

}  // namespace

TEST_CASE("answers of forecast: windows of the test, and what comes after the end, beside the baselines") {
    const TextFile file("days.csv", days(0, 120));
    const Settings s = with_kept(small_days({{"series", file.path()}}));
    const ForecastData data = forecast_data(read<ForecastSettings>(s));
    const Tensor &values = data.series.values, &known = data.series.known;
    const std::vector<real> by = {0.5, -0.25, 1, 0.75, -1, 2};  // (3, 2)
    REQUIRE(data.split.validation == 96);
    REQUIRE(data.season == 7);
    const Answerer answerer = task("forecast").answerer(s, {});
    set_forecast(answerer.parameters(), by);
    std::string text;
    // −1: after the end; 17 ends at day 115
    for (const index_t row : {index_t{-1}, index_t{0}, index_t{17}, index_t{21}}) {
        INFO("window " << row);
        const bool ahead = row < 0;
        const index_t t = ahead ? 119 : 95 + row;
        const auto day = [&](std::size_t i) { return date(static_cast<int>(t - 13) + static_cast<int>(i)); };
        PredictRequest request;
        if (!ahead) request.options["at"] = std::to_string(row);
        const Answer answer = answerer.answers(request).at(0);
        if (ahead || row == 17) text += text_of(answer) + "\n";
        CHECK(answer.about == (ahead ? file.path() + ": the 3 values after 2024-04-29, the last"
                                     : fmt::format("{}: window {} of the test, the 3 values after {}",
                                                   file.path(), row, day(13))));
        REQUIRE(answer.fields.size() == 3);
        CHECK(json::parse(answer.fields[0].second) == answer.about);
        CHECK(json::parse(answer.fields[1].second) == json({day(14), day(15), day(16)}));
        const json columns = json::parse(answer.fields[2].second);
        REQUIRE(columns.size() == 2);
        REQUIRE(answer.charts.size() == 2);

        // The linear model's forecast, of the window as the model reads it.
        const Tensor x = scaled(slice(values, 0, t - 13, t + 1), data.scaling);
        const Tensor of_linear =
            unscaled(baselines(data).back().forecast(reshape(x, {1, 14, 2})), data.scaling);  // (1, 3, 2)
        for (index_t c = 0; c < 2; ++c) {
            const json& column = columns[static_cast<std::size_t>(c)];
            CHECK(column["column"] == (c ? "south" : "north"));
            CHECK(column.size() == (ahead ? 5 : 6));
            const auto value = [&](index_t when) { return values.at({when, c}); };
            std::map<std::string, std::vector<real>> curves;
            for (const char* name : {"series", "encoder", "last value", "seasonal naive", "linear"})
                curves[name].assign(17, NaN);
            for (std::size_t i = 0; i < 14; ++i)
                curves["series"][i] = value(t - 13 + static_cast<index_t>(i));
            for (std::size_t h = 0; h < 3; ++h) {
                const index_t later = t + 1 + static_cast<index_t>(h);
                const bool is_known = !ahead && known.at({later, c}) == 1;
                if (is_known) curves["series"][14 + h] = value(later);
                if (!ahead) CHECK(column["truth"][h].is_null() == !is_known);
                if (is_known) CHECK(column["truth"][h].get<real>() == value(later));
                const real encoder =
                    value(t) + by[h * 2 + static_cast<std::size_t>(c)] * data.scaling.deviation.at({c});
                for (const auto& [name, number] :
                     std::map<std::string, real>{{"encoder", encoder},
                                                 {"last value", value(t)},
                                                 {"seasonal naive", value(later - 7)},
                                                 {"linear", of_linear.at({0, later - t - 1, c})}}) {
                    CHECK(column[name][h].get<real>() == Approx(number).epsilon(1e-5));
                    curves[name][14 + h] = column[name][h].get<real>();
                }
            }
            const Answer::Chart& chart = answer.charts[static_cast<std::size_t>(c)];
            CHECK(chart.title == column["column"]);
            REQUIRE(chart.places.size() == 17);
            for (std::size_t i = 0; i < 17; ++i) CHECK(chart.places[i] == day(i));
            CHECK(chart.curves.size() == curves.size());
            for (const Answer::Curve& curve : chart.curves)
                check_close(Tensor(Shape{17}, std::vector<real>(curve.values.begin(), curve.values.end())),
                            Tensor(Shape{17}, curves[curve.name]), exact.with_nan(), curve.name);
        }
    }
    check_transcript("tracer/forecast_answers", text);
    // The mean error of north's last value, over the days of window 17 that are known.
    const double error = (std::abs(values.at({113, 0}) - values.at({112, 0})) +
                          std::abs(values.at({114, 0}) - values.at({112, 0}))) /
                         2;
    CHECK(has(text.substr(text.find("mean |error|")), fmt::format(" {:.4f} ", error)));
}

TEST_CASE("answers of forecast: another file's series goes on from its end, and has no test") {
    const TextFile file("days.csv", days(0, 120)), other("other.csv", days(20, 14)),
        few("few.csv", days(20, 13)),
        weeks("weeks.csv", "date,north,south\n2024-01-01,1,2\n2024-01-08,2,3\n2024-01-15,2,3\n");
    const Settings s = with_kept(small_days({{"series", file.path()}}));
    const Answerer answerer = task("forecast").answerer(s, {});
    set_forecast(answerer.parameters(), {0, 0, 0, 0, 0, 0});
    const auto ask = [&](const TextFile& series) {
        PredictRequest request;
        request.options["series"] = series.path();
        return answerer.answers(request).at(0);
    };
    const Answer answer = ask(other);
    CHECK(answer.about == other.path() + ": the 3 values after 2024-02-03, the last");
    const json columns = json::parse(answer.fields[2].second);
    CHECK(columns[0].size() == 4);  // the column, the model, two baselines that learn nothing
    for (const char* each : {"encoder", "last value"})
        for (std::size_t h = 0; h < 3; ++h) {
            CHECK(columns[0][each][h].get<double>() ==
                  Approx(0.01 * (10 + 33 % 7 + 33 * 33 % 3)).epsilon(1e-5));
            CHECK(columns[1][each][h].get<double>() ==
                  Approx(0.001 * (100 + 33 - 33 * 33 % 5)).epsilon(1e-5));
        }
    check_error<UsageError>([&] { (void)ask(few); }, "--series: 13 values, and the model reads 14");
    check_error<UsageError>(
        [&] { (void)ask(weeks); },
        fmt::format("--series: {} has a value every 7 days, and the model was trained on one "
                    "every 1 day",
                    weeks.path()));
    const auto at = [&](const char* row) {
        PredictRequest request;
        request.options["at"] = row;
        return answerer.answers(request);
    };
    check_error<UsageError>([&] { (void)at("22"); }, "--at: windows 0 to 21 of the test, got 22");
    // A file that has changed is not the run's series.
    Settings::Texts changed = s.texts();
    changed["mean"] = "1,2";
    check_error([&] { (void)task("forecast").answerer(Settings(changed), {}).answers({}); },
                "the series has changed since the training: its mean is not the run's");

    const auto check = [](const Lines& inputs, const std::map<std::string, std::string>& options) {
        PredictRequest request;
        request.inputs = inputs, request.options = options;
        task("forecast").check(request);
    };
    CHECK_NOTHROW(check({}, {{"at", "0"}}));
    CHECK_NOTHROW(check({}, {{"series", "x"}}));
    check_error<UsageError>(
        [&] { check({"1 2"}, {}); },
        "predict forecast: takes no input; --series FILE names a series to be continued, got "
        "'1 2'");
    check_error<UsageError>([&] { check({}, {{"at", "-1"}}); }, "--at: expected at least 0, got -1");
    check_error<UsageError>(
        [&] {
            check({}, {{"at", "1"}, {"series", "x"}});
        },
        "--at: cannot be combined with --series, which has no test");
}

TEST_CASE("answers of forecast: one forecast in full, by both models") {
    const TextFile file("days.csv", days(0, 120));
    for (const bool decodes : {false, true})
        for (const char* norm : {"last", "none"}) {
            INFO(decodes << " " << norm);
            const Settings s = with_kept(small_days({{"series", file.path()},
                                                     {"model", decodes ? "encoder-decoder" : "encoder"},
                                                     {"window-norm", norm}}));
            const Answerer answerer = task("forecast").answerer(s, {});
            PredictRequest request;
            request.options["at"] = "2", request.in_full = "--steps";  // t = 97
            const Prediction p = answerer.in_full(request);
            Lines known, ahead;
            std::vector<real> times, later;
            for (int t = 84; t <= 97; ++t) known.push_back(date(t)), times.push_back(static_cast<real>(t));
            for (int t = 98; t <= 100; ++t) ahead.push_back(date(t)), later.push_back(static_cast<real>(t));
            CHECK(p.words == known);
            CHECK(p.arrays.size() == (decodes ? 3 : 2));
            CHECK(p.arrays[1].second.values() == times);
            CHECK(p.result == (norm == std::string("none") ? "output" : "forecast"));
            CHECK(p.notes.size() == 3);
            CHECK(p.notes[2] ==
                  fmt::format("{}: window 2 of the test, the 3 values after {}; numbers are scaled",
                              file.path(), date(97)));
            if (decodes) {
                CHECK(p.arrays[2].second.values() == later);
                CHECK(p.written == ahead);
                CHECK((p.map == Prediction::Map::cross));
            } else {
                CHECK(p.written.empty());
                CHECK((p.map == Prediction::Map::every));
            }
            Trace trace;
            p.run(p.arrays);
            CHECK(trace.contains(p.result));
        }
}

TEST_CASE("task forecast: the header says what is read, how it is split, and with what") {
    const TextFile file("days.csv", days(0, 120));
    const TrainSetup setup = task("forecast").make(small_days({{"series", file.path()}}));
    CHECK(setup.header ==
          Lines{file.path() + ": 120 values of north, south, from 2024-01-01 to 2024-04-29, every 1 day",
                setup.header.at(1),  // the series' own note, of the missing value
                fmt::format("trained on what is before {}, validated until {}, tested from there on",
                            date(84), date(96)),
                "14 values are known, the next 3 to be forecast",
                "forecast = Head(Encoder(InputNet(x − level ‖ Time2Vec(τ)))) + level",
                "encoder of 1 block, d_model = 8, h = 2, d_ff = 16, post-norm"});
    CHECK(setup.unit == "values");
    CHECK(setup.training->size() == 84 - 14 - 3 + 1);
    CHECK(setup.validation->size() == 12 - 3 + 1);
    CHECK(setup.test->size() == 24 - 3 + 1);

    const auto idle = [](const Settings::Texts& more) {
        return task("forecast").table(small_days(more)).without_effect();
    };
    CHECK(idle({}).size() == 7);  // four go with a file
    CHECK(idle({}).count("column") == 1);
    CHECK(idle({{"series", "x.csv"}}).size() == 10);
    CHECK(idle({{"encoding", "none"}}).count("time-width") == 1);
    CHECK(idle({{"model", "encoder-decoder"}}).count("head") == 1);
}

TEST_CASE("forecast report: errors that are worked out, for two columns of a file") {
    const TextFile file("days.csv", days(0, 120));
    const Settings s = small_days({{"series", file.path()}});
    const ForecastData data = forecast_data(read<ForecastSettings>(s));
    const Tensor &values = data.series.values, &known = data.series.known;
    const auto learner = forecast_learner(read<ForecastSettings>(s), 2);
    set_forecast(learner->parameters(), {0.5, 0.5, 1, 1, -1, -1});
    const TestReport report = forecast_report(data, *learner, "encoder", Device::cpu);
    check_transcript("tracer/forecast_report", fmt::format("{}\n", fmt::join(report.lines, "\n")));
    const std::string linear = fmt::format("linear (DLinear, λ = {:g})", best_lambda(data));
    const json errors = json::parse(report.fields.at(0).second);
    REQUIRE(errors.size() == 8);
    for (index_t c = 0; c < 2; ++c) {
        const std::string column = c ? "south" : "north";
        const auto value = [&](index_t t) { return static_cast<double>(values.at({t, c})); };
        double season = 0;
        for (index_t t = 7; t < 84; ++t) season += std::abs(value(t) - value(t - 7)) / (84 - 7);
        std::size_t which = 4 * static_cast<std::size_t>(c);
        for (const std::string& name : Lines{"encoder", "last value", "seasonal naive (m = 7)", linear}) {
            const json& shown = errors[which++];
            CHECK(shown["column"] == column);
            CHECK(shown["forecast"] == name);
            if (name == linear) continue;
            double sum = 0, squares = 0, count = 0;
            for (index_t t = 95; t <= 116; ++t)
                for (index_t h = 1; h <= 3; ++h) {
                    if (known.at({t + h, c}) == 0) continue;
                    const double by = std::vector{0.5, 1.0, -1.0}[static_cast<std::size_t>(h - 1)];
                    const double said =
                        name == "encoder"
                            ? value(t) + by * static_cast<double>(data.scaling.deviation.at({c}))
                        : name == "last value" ? value(t)
                                               : value(t + h - 7);
                    sum += std::abs(said - value(t + h)), squares += std::pow(said - value(t + h), 2),
                        ++count;
                }
            CHECK(count == (c ? 66 : 63));
            CHECK(shown["mae"].get<double>() == Approx(sum / count).epsilon(1e-4));
            CHECK(shown["rmse"].get<double>() == Approx(std::sqrt(squares / count)).epsilon(1e-4));
            CHECK(shown["mase"].get<double>() == Approx(sum / count / season).epsilon(1e-4));
        }
    }
    const std::vector<Wave> waves = waves_of(learner->input());
    REQUIRE(waves.size() == 3);
    Lines names;
    for (const auto& [name, value] : report.fields) names.push_back(name);
    CHECK(names == Lines{"errors", "waves", "periods"});
    const json shown = json::parse(report.fields[1].second);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(shown[i]["period"].get<double>() == Approx(waves[i].period));
        CHECK(shown[i]["phase"].get<double>() == Approx(waves[i].phase));
        CHECK(shown[i]["amplitude"].get<double>() == Approx(waves[i].amplitude));
    }
    CHECK(json::parse(report.fields[2].second) == json({7}));
}

TEST_CASE("forecast report: a column that repeats its season exactly has no MASE, and is told so") {
    std::string text = "date,weeks,days\n";
    for (int t = 0; t < 120; ++t) text += fmt::format("{},{},{}\n", date(t), t % 7, t * t % 11);
    const TextFile file("weeks.csv", text);
    const Settings s = small_days({{"series", file.path()}});
    const auto learner = forecast_learner(read<ForecastSettings>(s), 2);
    const TestReport report =
        forecast_report(forecast_data(read<ForecastSettings>(s)), *learner, "encoder", Device::cpu);
    CHECK(report.lines.at(1) == "weeks                              MAE      RMSE      MASE");
    CHECK(report.lines.at(2).ends_with("         -"));
    CHECK(report.lines.at(4) == "seasonal naive (m = 7)          0.0000    0.0000         -");
    CHECK(report.lines.at(6) ==
          "no MASE: in the training part weeks repeats its season of 7 exactly, and MASE divides by the "
          "change");
    CHECK(report.lines.at(7) == "days                               MAE      RMSE      MASE");
    CHECK_FALSE(report.lines.at(8).ends_with("-"));
}

TEST_CASE("forecast report: the noise of a generated series, its periods, and at most six waves") {
    const auto reported = [](const Settings::Texts& more) {
        Settings::Texts texts{{"length", "150"}, {"periods", "7,10"}};
        for (const auto& [name, text] : more) texts[name] = text;
        const Settings s = small_days(texts);
        const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
        return forecast_report(forecast_data(read<ForecastSettings>(s)), *learner, "encoder", Device::cpu);
    };
    const auto line_of = [](const TestReport& report, const std::string& begin) {
        for (const std::string& line : report.lines)
            if (line.starts_with(begin)) return line;
        return std::string();
    };
    const TestReport six = reported({{"time-width", "7"}, {"noise", "0.25"}}),
                     seven = reported({{"time-width", "8"}, {"noise", "0"}}),
                     none = reported({{"encoding", "none"}});
    const auto shown = [&](const TestReport& report) { return line_of(report, "Time2Vec's periods"); };
    const auto count = [](const std::string& line) { return std::count(line.begin(), line.end(), '('); };
    CHECK(count(shown(six)) == 7);  // one of them of the words before
    CHECK(count(shown(seven)) == 7);
    CHECK_FALSE(shown(six).ends_with("…"));
    CHECK(shown(seven).ends_with("), …"));
    CHECK(shown(none).empty());
    CHECK(line_of(none, "the series' own").empty());
    CHECK(line_of(six, "the series' own") == "the series' own: 7, 10");
    CHECK(line_of(seven, "the noise").empty());
    const json errors = json::parse(six.fields.at(0).second);
    const double ratio = errors[0]["rmse"].get<double>() / 0.25;
    CHECK(line_of(six, "the noise") ==
          fmt::format(
              "the noise has deviation 0.25, the smallest RMSE that any forecast can have; encoder: {:.3f} "
              "times that",
              ratio));
    CHECK(six.fields.at(1) == std::pair<std::string, std::string>{"noise", "0.25"});
    CHECK(json::parse(six.fields.at(2).second).get<double>() == Approx(ratio));
    CHECK(json::parse(six.fields.at(3).second).size() == 6);
    CHECK(json::parse(seven.fields.at(1).second).size() == 7);
}

TEST_CASE(
    "forecast: a season is the one that is given, else the first period that a window holds, else none") {
    const auto season = [](const Settings::Texts& more) {
        Settings::Texts texts{{"length", "150"}};
        for (const auto& [name, text] : more) texts[name] = text;
        return forecast_data(read<ForecastSettings>(small_days(texts))).season;
    };
    CHECK(season({{"season", "1"}}) == 1);
    CHECK(season({{"season", "14"}}) == 14);
    CHECK(season({{"periods", "14,3"}}) == 14);
    CHECK(season({{"periods", "15,3"}}) == 1);
    CHECK(season({{"periods", "2,3"}}) == 2);
    const Settings s = small_days({{"length", "150"}, {"periods", "15,3"}});
    CHECK(forecast_data(read<ForecastSettings>(s)).periods == std::vector<double>{15, 3});
    CHECK(naive_baselines({14, 3}, 1).size() == 1);
    CHECK(naive_baselines({14, 3}, 2).size() == 2);
    // Of a file without a season there are no periods to be shown.
    std::string rows = "t,x\n";
    for (int t = 0; t < 60; ++t) rows += fmt::format("{},{}\n", t, t * t % 11);
    const TextFile plain("plain.csv", rows), dated("days.csv", days(0, 120));
    CHECK(forecast_data(read<ForecastSettings>(small_days({{"series", plain.path()}}))).periods.empty());
    CHECK(forecast_data(read<ForecastSettings>(small_days({{"series", dated.path()}}))).periods ==
          std::vector<double>{7});
    // Of the columns, those that are named.
    CHECK(forecast_data(read<ForecastSettings>(small_days({{"series", dated.path()}, {"column", "south"}})))
              .series.columns == Lines{"south"});
    CHECK(
        forecast_data(read<ForecastSettings>(small_days({{"series", dated.path()}, {"time-column", "date"}})))
            .series.width() == 2);
}

TEST_CASE("forecast: the parts of a split add up to 1 within a millionth, and each is above 0") {
    const auto split = [](const char* parts) {
        return forecast_data(read<ForecastSettings>(small_days({{"length", "150"}, {"split", parts}}))).split;
    };
    CHECK(split("0.6,0.2,0.2").training == 90);
    CHECK(split("0.6,0.2,0.2").validation == 120);
    CHECK(split("0.6,0.2000009,0.2").end == 150);
    CHECK_THROWS_AS(split("0.6,0.200002,0.2"), UsageError);
    CHECK_THROWS_AS(split("0.6,0.199998,0.2"), UsageError);
    CHECK_THROWS_AS(split("0.8,0,0.2"), UsageError);
    CHECK_THROWS_AS(split("0.25,0.25,0.25,0.25"), UsageError);
}

TEST_CASE("forecast: all windows are forecast, in their order, however many there are") {
    const Settings s = small_days({{"length", "500"}, {"split", "0.2,0.2,0.6"}});  // 298 windows of the test
    const ForecastData data = forecast_data(read<ForecastSettings>(s));
    const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
    const WindowData test = data.test();
    REQUIRE(test.size() == 298);
    const Tensor all = forecasts_of(*learner, test, Device::cpu);
    REQUIRE(all.shape() == Shape{298, 3, 1});
    for (const index_t row : {0, 127, 128, 255, 256, 297})
        check_close(slice(all, 0, row, row + 1), learner->forecast(test.at({row})), chain,
                    fmt::format("{}", row));
}

TEST_CASE("forecast: the linear model's penalty is the one of seven with the least error in validation") {
    struct Case {
        const char *noise, *shift, *seed;
    };
    std::set<double> chosen;
    for (const Case& each :
         {Case{"0", "0", "1"}, Case{"0.1", "0", "2"}, Case{"0.1", "0", "3"}, Case{"0.5", "0", "1"},
          Case{"0", "30", "2"}, Case{"2", "0", "1"}, Case{"10", "0", "1"}}) {
        const ForecastData data =
            forecast_data(read<ForecastSettings>(small_days({{"length", "100"},
                                                             {"periods", "7,20"},
                                                             {"noise", each.noise},
                                                             {"shift", each.shift},
                                                             {"data-seed", each.seed}})));
        const double lambda = best_lambda(data);
        chosen.insert(lambda);
        CHECK(baselines(data).back().about == fmt::format("DLinear, λ = {:g}", lambda));
    }
    CHECK(chosen.size() >= 5);  // all seven in float
}

namespace {

// A column of days from 2024-01-01 on, with the others' rows absent or, with a second column, their cells.
std::string some_days(int count, const std::function<bool(int)>& is_known, bool has_second = false) {
    std::string text = has_second ? "date,north,south\n" : "date,north\n";
    for (int t = 0; t < count; ++t) {
        if (!is_known(t) && !has_second) continue;
        text += date(t) + "," + (is_known(t) ? std::to_string(10 + t % 7 + t * t % 5) : "");
        text += has_second ? fmt::format(",{}\n", 100 + t * t % 11) : "\n";
    }
    return text;
}

}  // namespace

TEST_CASE(
    "forecast report: days without weekends, more of them ahead than a week has, have a linear forecast") {
    const TextFile file("weekdays.csv", some_days(138, [](int t) { return t % 7 < 5; }));
    const Settings s = small_days({{"series", file.path()}, {"horizon", "8"}});
    const ForecastData data = forecast_data(read<ForecastSettings>(s));
    REQUIRE(data.season == 7);
    const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
    const TestReport report = forecast_report(data, *learner, "encoder", Device::cpu);
    const json errors = json::parse(report.fields.at(0).second);
    REQUIRE(errors.size() == 4);
    CHECK(errors[3]["forecast"] == fmt::format("linear (DLinear, λ = {:g})", best_lambda(data)));
    CHECK(errors[3]["mae"].get<double>() > 0);
}

TEST_CASE("forecast report: a column without two known values a season apart has no MASE, and is told so") {
    const TextFile file("other-days.csv", some_days(140, [](int t) { return t / 10 % 2 == 0; }));
    const Settings s = small_days({{"series", file.path()}, {"season", "10"}});
    const auto learner = forecast_learner(read<ForecastSettings>(s), 1);
    const TestReport report =
        forecast_report(forecast_data(read<ForecastSettings>(s)), *learner, "encoder", Device::cpu);
    CHECK(report.lines.at(3).starts_with("last value"));
    CHECK(report.lines.at(3).ends_with("         -"));
    CHECK(
        report.lines.at(6) ==
        "no MASE: in the training part north has no two known values 10 steps apart, and MASE divides by the "
        "change");
    for (const json& each : json::parse(report.fields.at(0).second)) CHECK(each["mase"] == "NaN");
}

TEST_CASE(
    "forecast: a column without a known value in the validation has no say in the linear model's penalty") {
    const TextFile file("days.csv", some_days(
                                        120, [](int t) { return t < 84 || t >= 96; }, true));
    const ForecastData data = forecast_data(read<ForecastSettings>(small_days({{"series", file.path()}})));
    REQUIRE(data.split.training == 84);
    REQUIRE(data.split.validation == 96);
    const Baseline linear = baselines(data).back();
    const double lambda = best_lambda(data);
    CHECK(lambda > 0);
    CHECK(linear.about == fmt::format("DLinear, λ = {:g}", lambda));
    const Examples training = data.training().all(), test = data.test().all();
    LinearForecaster model(14, 3);
    fit(model, training["x"], training["targets"], training["known"], lambda);
    check_close(linear.forecast(test["x"]), model(test["x"]), exact, "forecast");
}

TEST_CASE("forecast: training windows without a known target are left out, and every batch can learn") {
    // Nine days are missing: of the windows seven have only these as their next three.
    const TextFile file("gap.csv", some_days(120, [](int t) { return t < 40 || t >= 49; }));
    const Settings s = small_days({{"series", file.path()}, {"batch", "1"}, {"epochs", "1"}});
    const TrainSetup setup = task("forecast").make(s);
    CHECK(setup.training->size() == 68 - 7);
    CHECK(std::count(setup.header.begin(), setup.header.end(),
                     "7 of 68 training windows left out: none of their targets is known") == 1);
    CHECK(setup.validation->size() == 10);
    Trainer trainer(*setup.learner, *setup.training, trainer_config(s, setup.training->size()));
    while (!trainer.is_finished()) trainer.step();
    CHECK(trainer.steps_done() == 61);
}

TEST_CASE("forecast: a part of the series in which nothing is known is refused before any training") {
    const auto refused = [](const std::string& text, const std::string& needs) {
        const TextFile file("gaps.csv", text);
        check_error<UsageError>(
            [&] {
                forecast_data(read<ForecastSettings>(small_days({{"series", file.path()}})));
            },
            "--series: " + file.path() + " needs " + needs);
    };
    const auto in_part = [](const char* part, int first, int last) {
        return fmt::format("{} part, {} to {}, and has none there", part, date(first), date(last));
    };
    refused(some_days(120, [](int t) { return t < 84 || t >= 96; }),
            "a known value in its " + in_part("validation", 84, 95));
    refused(some_days(120, [](int t) { return t < 14 || t >= 84; }),
            "a training window with a known target, and none of its 68 has one (--window 14, --horizon 3)");
    // The test: the last row is there, and empty.
    refused(some_days(96, [](int) { return true; }) + date(119) + ",\n",
            "a known value in its " + in_part("test", 96, 119));
    // A column whose first value is older than the first complete row, 2024-01-02, and the next one too new.
    std::string late = "date,north,south\n" + date(0) + ",,5\n";
    for (int t = 1; t < 120; ++t) late += fmt::format("{},{},{}\n", date(t), t % 9, t < 90 ? "" : "6");
    refused(late, "a known value of south in its " + in_part("training", 1, 85));
}
