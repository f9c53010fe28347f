#include "tasks/shared/forecast_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <glassbox/io/json.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// ---- baselines -------------------------------------------------------------------------------------------

std::vector<Baseline> naive_baselines(const WindowConfig& config, index_t season) {
    std::vector<Baseline> all = {
        {"last value", "", [config](const Tensor& x) { return last_value_forecast(x, config.horizon); }}};
    if (season > 1)
        all.push_back({"seasonal naive", fmt::format("m = {}", season), [config, season](const Tensor& x) {
                           return seasonal_naive_forecast(x, config.horizon, season);
                       }});
    return all;
}

namespace {

// The sum of the columns' RMSE. A column without a known value has none, 0 / 0, and is left out.
double total_rmse(const Tensor& forecast, const Examples& windows) {
    const Tensor &known = windows["known"], &truth = windows["targets"];  // (n, H, c)
    const ForecastErrors errors = forecast_errors(forecast, truth, known, Tensor::ones({known.size(-1)}));
    const Tensor some_known = max(reshape(known, {-1, known.size(-1)}), 0);  // (c)
    const std::vector<real> of_columns = where(some_known, errors.rmse, 0).values();
    return std::accumulate(of_columns.begin(), of_columns.end(), 0.0);
}

Baseline fitted_linear(const ForecastData& data) {
    const Examples training = data.training().all(), validation = data.validation().all();
    const std::vector<double> lambdas = {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0};
    const std::vector<LinearForecaster> models =
        fitted(LinearForecaster(data.config.window, data.config.horizon), training["x"], training["targets"],
               training["known"], lambdas);
    std::size_t best = 0;
    double best_error = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < models.size(); ++i) {
        const double error = total_rmse(models[i](validation["x"]), validation);
        if (error < best_error) best = i, best_error = error;
    }
    return {"linear", fmt::format("DLinear, λ = {:g}", lambdas[best]),
            [model = models[best]](const Tensor& x) { return model(x); }};
}

}  // namespace

std::vector<Baseline> baselines(const ForecastData& data) {
    std::vector<Baseline> all = naive_baselines(data.config, data.season);
    all.push_back(fitted_linear(data));
    return all;
}

Tensor forecasts_of(const ForecastLearner& learner, const WindowData& windows, Device device) {
    constexpr index_t at_once = 128;
    std::vector<Tensor> parts;
    for (index_t begin = 0; begin < windows.size(); begin += at_once) {
        std::vector<index_t> rows(static_cast<std::size_t>(std::min(at_once, windows.size() - begin)));
        std::iota(rows.begin(), rows.end(), begin);
        parts.push_back(learner.forecast(windows.at(rows).to(device)).to(Device::cpu));
    }
    return concat(parts, 0);
}

// ---- Time2Vec --------------------------------------------------------------------------------------------

std::vector<Wave> waves_of(const SeriesInput& input) {
    std::vector<Wave> waves;
    if (input.config().encoding != TimeEncoding::time2vec) return waves;
    const std::vector<real> omega = input.time2vec.omega.values(), phi = input.time2vec.phi.values();
    const Tensor weights = input.input_net.weight.to(Device::cpu);  // (d_model, c + width)
    for (std::size_t i = 1; i < omega.size(); ++i) {                // 0 is the linear one
        double square = 0;
        for (index_t row = 0; row < weights.size(0); ++row) {
            const double w = weights.at({row, input.config().columns + static_cast<index_t>(i)});
            square += w * w;
        }
        waves.push_back({2 * std::numbers::pi / std::abs(static_cast<double>(omega[i])),
                         static_cast<double>(phi[i]), std::sqrt(square)});
    }
    std::stable_sort(waves.begin(), waves.end(),
                     [](const Wave& a, const Wave& b) { return a.amplitude > b.amplitude; });
    return waves;
}

namespace {

void add_waves(TestReport& report, const ForecastData& data, const ForecastLearner& learner) {
    const std::vector<Wave> waves = waves_of(learner.input());
    if (waves.empty()) return;
    constexpr std::size_t shown = 6;
    std::string line;
    JsonList json;
    for (std::size_t i = 0; i < waves.size(); ++i) {
        if (i < shown)
            line += fmt::format("{}{:.1f} ({:.2f})", i ? ", " : "", waves[i].period, waves[i].amplitude);
        json.add(JsonObject{
            {"period", waves[i].period}, {"phase", waves[i].phase}, {"amplitude", waves[i].amplitude}});
    }
    report.lines.push_back("Time2Vec's periods 2π/ω, the strongest first (amplitude): " + line +
                           (waves.size() > shown ? ", …" : ""));
    if (!data.periods.empty())
        report.lines.push_back(fmt::format("the series' own: {}", fmt::join(data.periods, ", ")));
    report.field("waves", json), report.field("periods", data.periods);
}

// ---- the table -------------------------------------------------------------------------------------------

// Errors in the series' own units, of the columns of one series.
class Errors {
  public:
    explicit Errors(const ForecastData& data) : data_(data), test_(data.test().all()) {
        truth_ = unscaled(test_["targets"], data.scaling);
        const index_t end = data.split.training;
        scale_ = seasonal_scale(slice(data.series.values, 0, 0, end), slice(data.series.known, 0, 0, end),
                                data.season);
    }
    const Tensor& x() const { return test_["x"]; }
    const Tensor& scale() const { return scale_; }  // of MASE (c)
    index_t count() const { return test_.size(); }
    ForecastErrors of(const Tensor& forecast) const {
        return forecast_errors(unscaled(forecast, data_.scaling), truth_, test_["known"], scale_);
    }

  private:
    const ForecastData& data_;
    Examples test_;
    Tensor truth_, scale_;
};

struct NamedErrors {
    std::string name;
    ForecastErrors errors;
};

// A column that repeats its season exactly has scale 0, one without two known values a season apart none; one
// without a known value in the test has no error at all.
std::string error_cell(double error) {
    return std::isfinite(error) ? fmt::format("{:>10.4f}", error) : fmt::format("{:>10}", "-");
}

void add_table(TestReport& report, const ForecastData& data, const std::vector<NamedErrors>& all,
               const Tensor& scale) {
    const auto width = static_cast<std::size_t>(data.series.width());
    JsonList json;
    for (std::size_t c = 0; c < width; ++c) {
        const auto of = [c](const Tensor& errors) { return errors.at({static_cast<index_t>(c)}); };
        const std::string& column = data.series.columns[c];
        report.lines.push_back(fmt::format("{:<28}{:>10}{:>10}{:>10}", column, "MAE", "RMSE", "MASE"));
        for (const NamedErrors& each : all) {
            const double mae = of(each.errors.mae), rmse = of(each.errors.rmse), mase = of(each.errors.mase);
            report.lines.push_back(
                fmt::format("{:<28}{}{}{}", each.name, error_cell(mae), error_cell(rmse), error_cell(mase)));
            json.add(JsonObject{
                {"column", column}, {"forecast", each.name}, {"mae", mae}, {"rmse", rmse}, {"mase", mase}});
        }
        if (of(scale) > 0) continue;
        report.lines.push_back(fmt::format(
            "no MASE: in the training part {} {}, and MASE divides by the change", column,
            of(scale) == 0 ? fmt::format("repeats its season of {} exactly", data.season)
                           : fmt::format("has no two known values {} apart", counted(data.season, "step"))));
    }
    report.field("errors", json);
}

}  // namespace

TestReport forecast_report(const ForecastData& data, const ForecastLearner& learner, const std::string& model,
                           Device device) {
    const Errors errors(data);
    std::vector<NamedErrors> all = {{model, errors.of(forecasts_of(learner, data.test(), device))}};
    for (const Baseline& each : baselines(data)) {
        const std::string about = each.about.empty() ? "" : " (" + each.about + ")";
        all.push_back({each.name + about, errors.of(each.forecast(errors.x()))});
    }
    TestReport report;
    report.lines.push_back(
        fmt::format("{} of the test, {} ahead, in the series' own units; MASE for a season of {}",
                    counted(errors.count(), "window"), counted(data.config.horizon, "value"), data.season));
    add_table(report, data, all, errors.scale());
    if (data.noise && *data.noise > 0) {
        const double ratio = all[0].errors.rmse.at({0}) / *data.noise;
        report.lines.push_back(
            fmt::format("the noise has deviation {:g}, the smallest RMSE that any forecast can have; {}: "
                        "{:.3f} times that",
                        *data.noise, model, ratio));
        report.field("noise", *data.noise), report.field("rmse_over_noise", ratio);
    }
    add_waves(report, data, learner);
    return report;
}

}  // namespace glassbox
