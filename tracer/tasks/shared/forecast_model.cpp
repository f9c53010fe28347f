#include "tasks/shared/forecast_model.h"

#include <glassbox/conventions/draw.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/forecast_data.h"
#include "tasks/shared/models.h"

namespace glassbox {
namespace {

ForecasterConfig config_of(const Settings& s, index_t columns) {
    const Convention& convention = s.convention();
    const StackChoices stack = predictor_choices(s, 1, 1).encoder;
    const WindowConfig window = window_config(s);
    ForecasterConfig config;
    config.window = window.window, config.horizon = window.horizon;
    config.input.columns = columns;
    config.input.d_model = stack.block.d_model;
    config.input.encoding = parse<TimeEncoding>(s.text("encoding"));
    config.input.time_width = s.whole("time-width", 1, 4096);
    config.input.positions = convention.positions();
    config.norm = parse<WindowNorm>(s.text("window-norm"));
    config.head = parse<ForecastHead>(s.text("head"));
    config.encoder = convention.encoder(stack), config.decoder = convention.decoder(stack);
    return config;
}

template <class Model>
Model drawn(const Settings& s, index_t columns) {
    Model model(config_of(s, columns));
    draw(model, s.convention(), *make_stream(s.convention().rng, s.seed()));
    return model;
}

}  // namespace

bool decodes(const Settings& s) { return s.text("model") == "encoder-decoder"; }

std::unique_ptr<ForecastLearner> forecast_learner(const Settings& s, index_t columns) {
    if (decodes(s)) return std::make_unique<StepForecastLearner>(drawn<StepForecaster>(s, columns));
    return std::make_unique<WholeForecastLearner>(drawn<Forecaster>(s, columns));
}

std::string formula_of(const Settings& s, index_t columns) {
    return formula(config_of(s, columns), decodes(s));
}

Device device_of(ForecastLearner& learner) { return learner.parameters().entries()[0].tensor->device(); }

}  // namespace glassbox
