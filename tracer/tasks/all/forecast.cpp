#include <glassbox/conventions/draw.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/forecast_answer.h"
#include "tasks/shared/forecast_data.h"
#include "tasks/shared/forecast_model.h"
#include "tasks/shared/forecast_report.h"
#include "tasks/shared/models.h"
#include "tasks/task.h"

// Forecasts a time series: the fourth document's second kind of data.
namespace glassbox {
namespace forecast_cpp {
namespace {

std::vector<std::string> header_of(const Settings& s, const ForecastData& data) {
    const Series& series = data.series;
    const auto name = [&](index_t t) { return series.times.name(t); };
    std::vector<std::string> lines = {fmt::format(
        "{}: {} values of {}, from {} to {}, every {}", series.source, series.length(),
        fmt::join(series.columns, ", "), name(0), name(series.length() - 1), series.times.step_name())};
    lines.insert(lines.end(), series.notes.begin(), series.notes.end());
    lines.push_back(fmt::format("trained on what is before {}, validated until {}, tested from there on",
                                name(data.split.training), name(data.split.validation)));
    if (const WindowData training = data.training(); training.left_out() > 0)
        lines.push_back(fmt::format("{} of {} training windows left out: none of their targets is known",
                                    training.left_out(), training.left_out() + training.size()));
    lines.push_back(fmt::format("{} values are known, the next {} to be forecast", data.config.window,
                                data.config.horizon));
    lines.push_back(formula_of(s, series.width()));
    lines.push_back(s.text("model") + " of " + model_line(s));
    return lines;
}

TrainSetup make(const Settings& s) {
    TrainSetup setup;
    const auto data = std::make_shared<ForecastData>(forecast_data(s));
    setup.training = std::make_unique<WindowData>(data->training());
    setup.validation = std::make_unique<WindowData>(data->validation());
    setup.test = std::make_unique<WindowData>(data->test());
    std::unique_ptr<ForecastLearner> learner = forecast_learner(s, data->series.width());
    setup.header = header_of(s, *data);
    setup.unit = "values";
    setup.kept = kept_texts(*data);
    setup.tested = [data, model = learner.get(), name = s.text("model")] {
        return forecast_report(*data, *model, name, device_of(*model));
    };
    setup.learner = std::move(learner);
    return setup;
}

std::vector<TaskSetting> own_settings() {
    return {
        {"series",
         "Data",
         "FILE",
         "The series: a CSV file with a column of times, or a generated one",
         {"generated"},
         {".csv"}},
        {"time-column", "Data", "NAME", "Column of the times"},
        {"column", "Data", "NAMES", "Columns to forecast, separated by commas"},
        {"times", "Data", "KIND",
         "How times are read: whether 20200131 is a date, and which is the day in 01/02/2020",
         words<TimesAs>()},
        {"missing", "Data", "LIST",
         "Cells that stand for a missing value: -999,n.d.; none: numbers are numbers; auto: those of nines "
         "that "
         "are far from all others are missing"},
        {"window", "Data", "N", "Number of values that are known, L"},
        {"horizon", "Data", "N", "Number of values to forecast, H"},
        {"season", "Data", "N", "Length of a season in steps, for MASE and the seasonal naive forecast"},
        {"split", "Data", "A,B,C", "Parts of the series for training, validation and test, in order of time"},
        {"scale",
         "Data",
         "NAME",
         "Scaling: mean 0 and deviation 1 over the training part, or none",
         {"standard", "none"}},
        {"length", "Data", "N", "Length of the generated series"},
        {"periods", "Data", "P,…", "Periods of its seasons, in steps"},
        {"amplitudes", "Data", "A,…", "Their amplitudes"},
        {"trend", "Data", "R", "Its trend, in a thousand steps"},
        {"shift", "Data", "R", "Change of its level at the change point, after three tenths of it"},
        {"noise", "Data", "R", "Deviation of its noise"},
        {"model",
         "Model",
         "NAME",
         "All values ahead at once, or one after the other",
         {"encoder", "encoder-decoder"}},
        {"encoding", "Model", "NAME", "Encoding of the time", words<TimeEncoding>()},
        {"time-width", "Model", "N", "Width of Time2Vec"},
        {"head", "Model", "NAME", "What the encoder's forecast is read from", words<ForecastHead>()},
        {"window-norm", "Model", "NAME",
         "What is subtracted from each window: its last value, or its mean (and divided by its deviation), "
         "or none",
         words<WindowNorm>()},
    };
}

std::map<std::string, std::string> without_effect_when(const Settings& s) {
    std::map<std::string, std::string> idle;
    const bool is_generated = s.text("series") == "generated";
    for (const char* name : {"length", "periods", "amplitudes", "trend", "shift", "noise", "data-seed"})
        if (!is_generated) idle[name] = "goes with a generated series, not with --series FILE";
    for (const char* name : {"time-column", "column", "times", "missing"})
        if (is_generated) idle[name] = "goes with --series FILE";
    if (s.text("encoding") != "time2vec") idle["time-width"] = "goes with --encoding time2vec";
    if (s.text("model") != "encoder") idle["head"] = "goes with --model encoder";
    return idle;
}

}  // namespace
}  // namespace forecast_cpp

Task forecast() {
    using namespace forecast_cpp;
    Task task;
    task.name = "forecast";
    task.summary = "Forecasts a time series (fourth document, Time2Vec).";
    task.order = 6;
    task.defaults = {
        {"series", "generated"},  {"time-column", "first"}, {"column", "all"},        {"times", "auto"},
        {"missing", "auto"},      {"window", "96"},         {"horizon", "24"},        {"season", "auto"},
        {"split", "0.7,0.1,0.2"}, {"scale", "standard"},    {"length", "4000"},       {"periods", "24,60"},
        {"amplitudes", "2,1"},    {"trend", "1"},           {"shift", "3"},           {"noise", "0.5"},
        {"data-seed", "42"},      {"model", "encoder"},     {"encoding", "time2vec"}, {"time-width", "16"},
        {"head", "flatten"},      {"window-norm", "last"},  {"dmodel", "32"},         {"heads", "4"},
        {"layers", "2"},          {"epochs", "20"},         {"batch", "64"},          {"dropout", "0.1"},
        {"rate", "0.001"},        {"warmup", "50"}};
    task.settings = own_settings();
    task.without_effect = {{"input-dropout", "goes with the input of a predictor"},
                           {"label-smoothing", "goes with classes; here values are forecast"}};
    task.without_effect_when = without_effect_when;
    task.make = make;
    task.options_title = "Forecast";
    task.options = {{"at", "N", "Ask for window N of the test, from 0, whose truth is known"},
                    {"series", "FILE", "Ask for the values after the end of this file's series"}};
    task.check = check_forecast_request;
    task.answerer = forecast_answerer;
    return task;
}

}  // namespace glassbox
