#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/models/forecaster.h>
#include <glassbox/series/generated_series.h>
#include <glassbox/series/read_series.h>
#include <glassbox/series/windows.h>

#include "tasks/task_settings.h"

namespace glassbox {

enum class ForecastModel { encoder, encoder_decoder };
enum class SeriesScale { standard, none };

struct ForecastSettings : TaskSettings {
    std::optional<std::string> series{};       // a file; none: a generated one
    std::optional<std::string> time_column{};  // none: the first that is one
    std::vector<std::string> columns{};        // empty: all
    TimesAs times = TimesAs::automatic;
    std::optional<std::vector<std::string>> missing{};  // as in SeriesColumns
    WindowConfig windows{.window = 96, .horizon = 24};
    std::optional<index_t> season{};  // none: what the series suggests
    std::vector<double> split{0.7, 0.1, 0.2};
    SeriesScale scale = SeriesScale::standard;
    GeneratedSeriesConfig generated{.length = 4000};
    ForecastModel model = ForecastModel::encoder;
    TimeEncoding encoding = TimeEncoding::time2vec;
    index_t time_width = 16;
    ForecastHead head = ForecastHead::flatten;
    WindowNorm window_norm = WindowNorm::last;

    ForecastSettings()
        : TaskSettings{.stack = {.d_model = 32, .heads = 4, .layers = 2, .dropout = 0.1},
                       .training = {{.epochs = 20, .batch = 64, .schedule = {.rate = 0.001, .warmup = 50}}}} {
    }
};

void declare(SettingTable& table, ForecastSettings& settings);

template <>
struct EnumWords<ForecastModel> {
    static constexpr const char* what = "model";
    static constexpr Word<ForecastModel> all[] = {{ForecastModel::encoder, "encoder"},
                                                  {ForecastModel::encoder_decoder, "encoder-decoder"}};
};

template <>
struct EnumWords<SeriesScale> {
    static constexpr const char* what = "scale";
    static constexpr Word<SeriesScale> all[] = {{SeriesScale::standard, "standard"},
                                                {SeriesScale::none, "none"}};
};

}  // namespace glassbox
