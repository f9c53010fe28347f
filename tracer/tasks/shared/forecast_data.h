#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/series/read_series.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>

#include "tasks/shared/forecast_settings.h"

namespace glassbox {

// A series as a forecasting task reads it, by its settings: split, scaled, in windows.
struct ForecastData {
    Series series;
    std::vector<double> periods;  // the true ones of a generated series, in steps; else the season, if known
    std::optional<double> noise;  // the deviation of a generated series' noise
    WindowConfig config;
    index_t season;
    Split split;
    Scaling scaling;       // of the training part; with --scale none mean 0 and deviation 1
    Tensor scaled_values;  // (T, c)

    // Without the windows that have no known target, so that every batch can learn.
    WindowData training() const { return windows(0, split.training, Targets::some_known); }
    WindowData validation() const { return windows(split.training, split.validation); }
    WindowData test() const { return windows(split.validation, split.end); }

  private:
    WindowData windows(index_t begin, index_t end, Targets targets = Targets::any) const {
        return WindowData(scaled_values, series.known, begin, end, config, targets);
    }
};

// Throws UsageError for a series whose known values are too few: for a training, its scale, or a score.
ForecastData forecast_data(const ForecastSettings& settings);

// How a file is read, of which these columns are wanted; none: all.
SeriesColumns series_columns(const ForecastSettings& settings, std::vector<std::string> values);

// What a trained model needs from its data, for other values of the series: as texts in the run's files.
struct LearnedScale {
    Scaling scaling;
    std::vector<std::string> columns;
    std::string step;  // the distance of two values, as TimeAxis::step_name writes it
    index_t season;
};
Settings::Texts kept_texts(const ForecastData& data);
LearnedScale kept_scale(
    const ForecastSettings& settings);  // throws Error when the texts contradict each other

}  // namespace glassbox
