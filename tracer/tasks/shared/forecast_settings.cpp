#include "tasks/shared/forecast_settings.h"

namespace glassbox {
namespace {

void declare_file(SettingTable& table, ForecastSettings& s) {
    constexpr SettingName series{"series", names::data, "FILE",
                                 "The series: a CSV file with a column of times, or a generated one", ".csv"},
        time_column{"time-column", names::data, "NAME", "Column of the times"},
        column{"column", names::data, "NAMES", "Columns to forecast, separated by commas"},
        times{"times", names::data, "KIND",
              "How times are read: whether 20200131 is a date, and which is the day in 01/02/2020"},
        missing{"missing", names::data, "LIST",
                "Cells that stand for a missing value: -999,n.d.; none: numbers are numbers; auto: nines far "
                "from all other values are missing"};
    table.value(series, s.series, {.none = "generated"});
    if (!s.series)
        for (const SettingName* of_file : {&time_column, &column, &times, &missing})
            table.without_effect(*of_file, "requires --series FILE");
    table.value(time_column, s.time_column, {.none = "first"});
    table.value(column, s.columns, {.empty = "all"});
    table.value(times, s.times, {.may_lack = true});  // in runs of earlier versions, as --missing
    table.value(missing, s.missing, {.none = "auto", .empty = "none", .may_lack = true});
}

void declare_windows(SettingTable& table, ForecastSettings& s) {
    constexpr SettingName window{"window", names::data, "N", "Number of values that are known, L"},
        horizon{"horizon", names::data, "N", "Number of values to forecast, H"},
        season{"season", names::data, "N",
               "Length of a season in steps, for MASE and the seasonal naive forecast"},
        split{"split", names::data, "A,B,C",
              "Parts of the series for training, validation and test, in order of time"},
        scale{"scale", names::data, "NAME",
              "Scaling: mean 0 and deviation 1 over the training part, or none"};
    table.value(window, s.windows.window, {.max = 1024});
    table.value(horizon, s.windows.horizon, {.max = 1024});
    table.value(season, s.season, {.max = s.windows.window, .none = "auto"});
    table.value(split, s.split);
    table.value(scale, s.scale);
}

void declare_generated(SettingTable& table, ForecastSettings& s) {
    constexpr SettingName length{"length", names::data, "N", "Length of the generated series"},
        periods{"periods", names::data, "P,…", "Periods of its seasons, in steps"},
        amplitudes{"amplitudes", names::data, "A,…", "Their amplitudes"},
        trend{"trend", names::data, "R", "Its trend, in a thousand steps"},
        shift{"shift", names::data, "R", "Change of its level at the change point, after three tenths of it"},
        noise{"noise", names::data, "R", "Deviation of its noise"};
    if (s.series)
        for (const SettingName* generated :
             {&length, &periods, &amplitudes, &trend, &shift, &noise, &names::data_seed})
            table.without_effect(*generated, "requires a generated series, not --series FILE");
    table.value(length, s.generated.length, {.max = 1 << 28});
    table.value(periods, s.generated.periods);
    table.value(amplitudes, s.generated.amplitudes);
    table.value(trend, s.generated.trend, {.min_real = -1e6});
    table.value(shift, s.generated.shift, {.min_real = -1e6});
    table.value(noise, s.generated.noise);
    table.value(names::data_seed, s.generated.seed);
}

void declare_model(SettingTable& table, ForecastSettings& s) {
    constexpr SettingName model{"model", names::model, "NAME",
                                "All values ahead at once, or one after the other"},
        encoding{"encoding", names::model, "NAME", "Encoding of the time"},
        time_width{"time-width", names::model, "N", "Width of Time2Vec"},
        head{"head", names::model, "NAME", "What the encoder's forecast is read from"},
        window_norm{"window-norm", names::model, "NAME",
                    "What is subtracted from each window: its last value, or its mean (and divided by its "
                    "deviation), or none"};
    table.value(model, s.model);
    table.value(encoding, s.encoding);
    if (s.encoding != TimeEncoding::time2vec)
        table.without_effect(time_width, "requires --encoding time2vec");
    if (s.model != ForecastModel::encoder) table.without_effect(head, "requires --model encoder");
    table.value(time_width, s.time_width, {.max = 4096});
    table.value(head, s.head);
    table.value(window_norm, s.window_norm);
}

}  // namespace

void declare(SettingTable& table, ForecastSettings& s) {
    table.without_effect(names::input_dropout, "requires the input of a predictor");
    table.without_effect(names::label_smoothing, "requires classes; here values are forecast");
    declare_file(table, s);
    declare_windows(table, s);
    declare_generated(table, s);
    declare_model(table, s);
}

}  // namespace glassbox
