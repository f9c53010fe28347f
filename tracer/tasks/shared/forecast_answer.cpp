#include "tasks/shared/forecast_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/forecast_report.h"
#include "tasks/shared/models.h"

namespace glassbox {
namespace {

// A window, and what is known about its future.
struct ForecastQuestion {
    std::string title;
    TimeAxis times;
    index_t t;                // the last known row
    Tensor x;                 // (L, c), in the series' units
    Tensor truth{}, known{};  // (H, c), if the future is known
    std::vector<Baseline> others{};
};

struct TrainedForecaster {
    ForecastSettings settings;
    LearnedScale scale;
    WindowConfig config;
    std::shared_ptr<ForecastLearner> learner;

    // x and the times of the window and of the values ahead, as a batch of one.
    Examples examples(const ForecastQuestion& q) const {
        const auto rows = [](index_t first, index_t count) {
            std::vector<real> numbers;
            for (index_t i = 0; i < count; ++i) numbers.push_back(static_cast<real>(first + i));
            return Tensor({1, count}, numbers);
        };
        const Tensor x = scaled(q.x, scale.scaling);
        return {{{"x", reshape(x, {1, x.size(0), x.size(1)})},
                 {"time", rows(q.t + 1 - config.window, config.window)},
                 {"target_time", rows(q.t + 1, config.horizon)}}};
    }
};

// ---- questions -------------------------------------------------------------------------------------------

// The run's own data, made or read again.
ForecastData own_data(const TrainedForecaster& trained) {
    ForecastData data = forecast_data(trained.settings);
    for (const auto& [name, text] : kept_texts(data))
        if (trained.settings.kept.text(name) != text)
            fail("the series has changed since the training: its {} is not the run's", name);
    return data;
}

ForecastQuestion after_the_end(const Series& series, const WindowConfig& config, const std::string& what) {
    const index_t T = series.length(), L = config.window;
    if (T < L) fail<UsageError>("{}: {} values, and the model reads {}", what, T, L);
    return {fmt::format("{}: the {} values after {}, the last", series.source, config.horizon,
                        series.times.name(T - 1)),
            series.times, T - 1, slice(series.values, 0, T - L, T)};
}

ForecastQuestion of_file(const TrainedForecaster& trained, const std::string& file) {
    const Series series = read_series(file, series_columns(trained.settings, trained.scale.columns));
    if (series.times.step_name() != trained.scale.step)
        fail<UsageError>("--series: {} has a value every {}, and the model was trained on one every {}",
                         series.source, series.times.step_name(), trained.scale.step);
    ForecastQuestion q = after_the_end(series, trained.config, "--series");
    q.others = naive_baselines(trained.config, trained.scale.season);
    return q;
}

ForecastQuestion of_test(const ForecastData& data, index_t row) {
    const WindowData test = data.test();
    if (row >= test.size())
        fail<UsageError>("--at: windows 0 to {} of the test, got {}", test.size() - 1, row);
    const index_t t = test.t(row), H = data.config.horizon;
    const Window window = window_at(data.series.values, t, data.config);
    return {fmt::format("{}: window {} of the test, the {} values after {}", data.series.source, row, H,
                        data.series.times.name(t)),
            data.series.times,
            t,
            window.x,
            window.targets,
            slice(data.series.known, 0, t + 1, t + 1 + H)};
}

ForecastQuestion question_of(const TrainedForecaster& trained, const PredictRequest& request) {
    if (request.has("series")) return of_file(trained, request.text("series"));
    const ForecastData data = own_data(trained);
    ForecastQuestion q = request.has("at") ? of_test(data, parse_integer("--at", request.text("at"), 0))
                                           : after_the_end(data.series, data.config, "forecast");
    q.others = baselines(data);
    return q;
}

// ---- answers ---------------------------------------------------------------------------------------------

struct NamedForecast {
    std::string name;
    Tensor values;  // (H, c), in the series' units
};

std::vector<NamedForecast> forecasts(const TrainedForecaster& trained, const ForecastQuestion& q) {
    const Examples examples = trained.examples(q);
    const auto in_units = [&](const Tensor& y) { return select(unscaled(y, trained.scale.scaling), 0, 0); };
    std::vector<NamedForecast> all = {
        {name(trained.settings.model), in_units(trained.learner->forecast(examples))}};
    for (const Baseline& other : q.others)
        all.push_back({other.name, in_units(other.forecast(examples["x"]))});
    return all;
}

double value_at(const Tensor& values, index_t row, index_t column) {
    return static_cast<double>(values.at({row, column}));
}

bool is_known(const ForecastQuestion& q, index_t h, index_t c) {
    return q.truth.defined() && q.known.at({h, c}) != 0;
}

// The mean absolute error over the values whose truth is known.
double mean_error(const ForecastQuestion& q, const Tensor& values, index_t c) {
    double sum = 0, count = 0;
    for (index_t h = 0; h < values.size(0); ++h)
        if (is_known(q, h, c)) sum += std::abs(value_at(values, h, c) - value_at(q.truth, h, c)), ++count;
    return sum / count;
}

// No name is longer than a column.
void say_table(Answer& answer, const ForecastQuestion& q, const std::vector<NamedForecast>& all, index_t c) {
    std::string header = fmt::format("  {:<20}", "time");
    for (const NamedForecast& each : all) header += fmt::format("  {:>16}", each.name);
    answer.say(header + (q.truth.defined() ? "             truth\n" : "\n"));
    for (index_t h = 0; h < all[0].values.size(0); ++h) {
        std::string line = fmt::format("  {:<20}", q.times.name(q.t + 1 + h));
        for (const NamedForecast& each : all) line += fmt::format("  {:>16.4f}", value_at(each.values, h, c));
        if (is_known(q, h, c)) line += fmt::format("  {:>16.4f}", value_at(q.truth, h, c));
        answer.say(line + "\n");
    }
    if (!q.truth.defined()) return;
    std::string line = fmt::format("  {:<20}", "mean |error|");
    for (const NamedForecast& each : all) line += fmt::format("  {:>16.4f}", mean_error(q, each.values, c));
    answer.say(line + "\n");
}

// The window, the truth and each forecast.
Answer::Chart chart_of(const ForecastQuestion& q, const std::vector<NamedForecast>& all, index_t c,
                       const std::string& column) {
    const index_t L = q.x.size(0), H = all[0].values.size(0);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    Answer::Chart chart{column, {}, {}};
    for (index_t i = 0; i < L + H; ++i) chart.places.push_back(q.times.name(q.t + 1 - L + i));
    Answer::Curve truth{"series", {}};
    for (index_t i = 0; i < L; ++i) truth.values.push_back(value_at(q.x, i, c));
    for (index_t h = 0; h < H; ++h)
        truth.values.push_back(is_known(q, h, c) ? value_at(q.truth, h, c) : none);
    chart.curves.push_back(std::move(truth));
    for (const NamedForecast& each : all) {
        Answer::Curve curve{each.name, std::vector<double>(static_cast<std::size_t>(L), none)};
        for (index_t h = 0; h < H; ++h) curve.values.push_back(value_at(each.values, h, c));
        chart.curves.push_back(std::move(curve));
    }
    return chart;
}

JsonValue json_of(const Tensor& values, index_t c) {
    std::vector<double> column;
    for (index_t h = 0; h < values.size(0); ++h) column.push_back(value_at(values, h, c));
    return column;
}

JsonObject json_of(const ForecastQuestion& q, const std::vector<NamedForecast>& all, index_t c,
                   const std::string& column) {
    JsonObject json{{"column", column}};
    for (const NamedForecast& each : all) json.add(each.name, json_of(each.values, c));
    if (!q.truth.defined()) return json;
    JsonList truth;
    for (index_t h = 0; h < q.truth.size(0); ++h)
        truth.add(is_known(q, h, c) ? JsonValue(value_at(q.truth, h, c)) : nullptr);
    return json.add("truth", truth);
}

Answer answer(const TrainedForecaster& trained, const ForecastQuestion& q) {
    const std::vector<NamedForecast> all = forecasts(trained, q);
    Answer answer;
    answer.about = q.title;
    JsonList times, columns;
    for (index_t h = 0; h < trained.config.horizon; ++h) times.add(q.times.name(q.t + 1 + h));
    for (std::size_t c = 0; c < trained.scale.columns.size(); ++c) {
        const std::string& column = trained.scale.columns[c];
        const auto at = static_cast<index_t>(c);
        answer.say((c ? "\n" : "") + column + "\n");
        say_table(answer, q, all, at);
        answer.charts.push_back(chart_of(q, all, at, column));
        columns.add(json_of(q, all, at, column));
    }
    return answer.field("question", q.title).field("times", times).field("columns", columns);
}

// ---- one forecast in full --------------------------------------------------------------------------------

Prediction in_full(const TrainedForecaster& trained, const ForecastQuestion& q) {
    const Examples examples = trained.examples(q);
    const bool is_stepwise = trained.settings.model == ForecastModel::encoder_decoder;
    Prediction p;
    p.arrays = {{"x", examples["x"]}, {"time", examples["time"]}};
    if (is_stepwise) p.arrays.emplace_back("target_time", examples["target_time"]);
    for (index_t i = 0; i < trained.config.window; ++i)
        p.words.push_back(q.times.name(q.t + 1 - trained.config.window + i));
    p.run = [learner = trained.learner](const NamedTensors& arrays) { (void)learner->forecast({arrays}); };
    p.parameters = [learner = trained.learner] { return learner->parameters(); };
    p.result = trained.settings.window_norm == WindowNorm::none ? "output" : "forecast";
    p.notes = {formula_of(trained.settings, static_cast<index_t>(trained.scale.columns.size())),
               model_line(trained.settings.stack), q.title + "; numbers are scaled"};
    if (!is_stepwise) return p;
    p.map = Prediction::Map::cross;
    p.map_title = "What each value ahead attends to", p.rows = "forecast", p.columns = "known";
    for (index_t h = 0; h < trained.config.horizon; ++h) p.written.push_back(q.times.name(q.t + 1 + h));
    return p;
}

}  // namespace

void check_forecast_request(const PredictRequest& request) {
    if (!request.inputs.empty())
        fail<UsageError>(
            "predict forecast: takes no input; --series FILE names a series to be continued, got '{}'",
            request.inputs[0]);
    if (request.has("at")) parse_integer("--at", request.text("at"), 0);
    if (request.has("at") && request.has("series"))
        fail<UsageError>("--at: cannot be combined with --series, which has no test");
}

Answerer forecast_answerer(const ForecastSettings& s, const PredictRequest&) {
    const LearnedScale scale = kept_scale(s);
    const TrainedForecaster trained{s, scale, s.windows,
                                    forecast_learner(s, static_cast<index_t>(scale.columns.size()))};
    Answerer result;
    result.parameters = [learner = trained.learner] { return learner->parameters(); };
    result.answers = [trained](const PredictRequest& request) -> std::vector<Answer> {
        return {answer(trained, question_of(trained, request))};
    };
    result.in_full = [trained](const PredictRequest& request) {
        return in_full(trained, question_of(trained, request));
    };
    return result;
}

}  // namespace glassbox
