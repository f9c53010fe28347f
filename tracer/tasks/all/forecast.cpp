#include <glassbox/conventions/draw.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/forecast_data.h"
#include "tasks/shared/forecast_model.h"
#include "tasks/shared/forecast_report.h"
#include "tasks/shared/models.h"
#include "tasks/task.h"

// Forecasts a time series: the fourth document's second kind of data.
namespace glassbox {
namespace {

std::vector<std::string> header_of(const ForecastSettings& s, const ForecastData& data) {
    const Series& series = data.series;
    const auto time = [&](index_t t) { return series.times.name(t); };
    std::vector<std::string> lines = {fmt::format(
        "{}: {} values of {}, from {} to {}, every {}", series.source, series.length(),
        fmt::join(series.columns, ", "), time(0), time(series.length() - 1), series.times.step_name())};
    lines.insert(lines.end(), series.notes.begin(), series.notes.end());
    lines.push_back(fmt::format("trained on what is before {}, validated until {}, tested from there on",
                                time(data.split.training), time(data.split.validation)));
    if (const WindowData training = data.training(); training.left_out() > 0)
        lines.push_back(fmt::format("{} of {} training windows left out: none of their targets is known",
                                    training.left_out(), training.left_out() + training.size()));
    lines.push_back(fmt::format("{} values are known, the next {} to be forecast", data.config.window,
                                data.config.horizon));
    lines.push_back(formula_of(s, series.width()));
    lines.push_back(std::string(name(s.model)) + " of " + model_line(s.stack));
    return lines;
}

TrainSetup make(const ForecastSettings& s) {
    TrainSetup setup;
    const auto data = std::make_shared<ForecastData>(forecast_data(s));
    setup.training = std::make_unique<WindowData>(data->training());
    setup.validation = std::make_unique<WindowData>(data->validation());
    setup.test = std::make_unique<WindowData>(data->test());
    std::unique_ptr<ForecastLearner> learner = forecast_learner(s, data->series.width());
    setup.header = header_of(s, *data);
    setup.unit = "values";
    setup.kept = kept_texts(*data);
    setup.tested = [data, model = learner.get(), name = name(s.model)] {
        return forecast_report(*data, *model, name, device_of(*model));
    };
    setup.learner = std::move(learner);
    return setup;
}

}  // namespace

Task forecast() {
    // The memory for its data is little beside the model's.
    Task task = task_with<ForecastSettings>(make, forecast_answerer,
                                            [](const ForecastSettings&) { return TaskSizes(); });
    task.name = "forecast";
    task.summary = "Forecasts a time series (fourth document, Time2Vec).";
    task.order = 6;
    task.options_title = "Forecast";
    task.options = {{"at", "N", "Ask for window N of the test, from 0, whose truth is known"},
                    {"series", "FILE", "Ask for the values after the end of this file's series"}};
    task.check = check_forecast_request;
    return task;
}

}  // namespace glassbox
