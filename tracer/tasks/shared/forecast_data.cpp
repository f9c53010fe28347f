#include "tasks/shared/forecast_data.h"

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/generated_series.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

SeriesColumns series_columns(const ForecastSettings& s, std::vector<std::string> values) {
    SeriesColumns columns;
    columns.words = {"--time-column", "--column", "--times", "--missing"};
    columns.time = s.time_column.value_or("");
    columns.values = std::move(values);
    columns.times_as = s.times;
    columns.missing = s.missing;
    return columns;
}

namespace {

Split split_of(const ForecastSettings& s, index_t length) {
    const std::vector<double>& parts = s.split;
    double sum = 0;
    for (const double part : parts) sum += part > 0 ? part : 100;
    if (parts.size() != 3 || std::abs(sum - 1) > 1e-6)
        fail<UsageError>("--split: expected three parts above 0 that add up to 1, got {}",
                         fmt::join(parts, ","));
    return split_by_time(length, parts[1], parts[2], s.windows);
}

// --season, else what the series suggests, else 1: a series without seasons.
index_t season_of(const ForecastSettings& s, const ForecastData& data) {
    if (s.season) return *s.season;
    const double season =
        data.periods.empty() ? static_cast<double>(data.series.times.steps_of_a_season()) : data.periods[0];
    return season >= 2 && season <= static_cast<double>(data.config.window) ? static_cast<index_t>(season)
                                                                            : 1;
}

Scaling scaling_of(const ForecastSettings& s, const ForecastData& data) {
    if (s.scale == SeriesScale::none) {
        const index_t c = data.series.width();
        return {Tensor::zeros({c}), Tensor::ones({c})};
    }
    return learned_scaling(slice(data.series.values, 0, 0, data.split.training),
                           slice(data.series.known, 0, 0, data.split.training));
}

// The number of known values of each column in the rows [begin, end): (c)
std::vector<real> known_in(const Series& series, index_t begin, index_t end) {
    return sum(slice(series.known, 0, begin, end), 0).values();
}

[[noreturn]] void refuse(const Series& series, const std::string& what, const char* part, index_t begin,
                         index_t end) {
    fail<UsageError>("--series: {} needs {} in its {} part, {} to {}, and has none there", series.source,
                     what, part, series.times.name(begin), series.times.name(end - 1));
}

// The training needs known values for the scale of each column and for its targets, the validation and the
// test for a score: without any value it would be 0, the best possible.
void check_known(const ForecastData& data) {
    const auto& [training, validation, end] = data.split;
    const std::vector<real> learned = known_in(data.series, 0, training);
    for (std::size_t c = 0; c < learned.size(); ++c)
        if (learned[c] == 0)
            refuse(data.series, "a known value of " + data.series.columns[c], "training", 0, training);
    if (const WindowData windows = data.training(); windows.size() == 0)
        fail<UsageError>(
            "--series: {} needs a training window with a known target, and none of its {} has one (--window "
            "{}, --horizon {})",
            data.series.source, windows.left_out(), data.config.window, data.config.horizon);
    const auto check_scored = [&data](const char* part, index_t from, index_t to) {
        const std::vector<real> known = known_in(data.series, from, to);
        if (std::all_of(known.begin(), known.end(), [](real count) { return count == 0; }))
            refuse(data.series, "a known value", part, from, to);
    };
    check_scored("validation", training, validation);
    check_scored("test", validation, end);
}

}  // namespace

ForecastData forecast_data(const ForecastSettings& s) {
    ForecastData data;
    if (s.series) {
        data.series = read_series(*s.series, series_columns(s, s.columns));
    } else {
        data.series = generated_series(s.generated).series;
        data.periods = s.generated.periods;
        data.noise = s.generated.noise;
    }
    data.config = s.windows;
    try {
        data.split = split_of(s, data.series.length());
    } catch (const UsageError& error) {  // that rows were left out is a reason
        if (data.series.notes.empty()) throw;
        fail<UsageError>("{}; {}: {}", error.what(), data.series.source,
                         fmt::format("{}", fmt::join(data.series.notes, "; ")));
    }
    data.season = season_of(s, data);
    if (data.periods.empty() && data.season > 1) data.periods = {static_cast<double>(data.season)};
    data.scaling = scaling_of(s, data);
    data.scaled_values = scaled(data.series.values, data.scaling);
    check_known(data);
    return data;
}

// ---- what a trained model keeps --------------------------------------------------------------------------

Settings::Texts kept_texts(const ForecastData& data) {
    const auto list = [](const Tensor& x) { return fmt::format("{}", fmt::join(x.values(), ",")); };
    return {{"mean", list(data.scaling.mean)},
            {"deviation", list(data.scaling.deviation)},
            {"columns", fmt::format("{}", fmt::join(data.series.columns, "\n"))},
            {"step", data.series.times.step_name()},
            {"season-steps", std::to_string(data.season)}};
}

LearnedScale kept_scale(const ForecastSettings& s) {
    LearnedScale kept;
    const std::string& columns = s.kept.text("columns");
    for (std::size_t at = 0; at <= columns.size();) {
        const std::size_t end = std::min(columns.find('\n', at), columns.size());
        kept.columns.push_back(columns.substr(at, end - at));
        at = end + 1;
    }
    const auto tensor = [&](const std::string& name) {
        std::vector<real> values;
        for (const double value : numbers_of("--" + name, s.kept.text(name)))
            values.push_back(static_cast<real>(value));
        if (values.size() != kept.columns.size())
            fail("its settings have {} columns and {} numbers of {}", kept.columns.size(), values.size(),
                 name);
        return Tensor({static_cast<index_t>(values.size())}, values);
    };
    kept.scaling = {tensor("mean"), tensor("deviation")};
    kept.step = s.kept.text("step");
    kept.season = parse_integer("--season-steps", s.kept.text("season-steps"), 1, s.windows.window);
    return kept;
}

}  // namespace glassbox
