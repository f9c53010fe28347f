#include "tasks/shared/forecast_model.h"

#include <glassbox/conventions/draw.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/models.h"

namespace glassbox {
namespace {

ForecasterConfig config_of(const ForecastSettings& s, index_t columns) {
    const Convention& convention = *s.convention;
    const StackChoices stack = stack_choices(s.stack);
    ForecasterConfig config;
    config.window = s.windows.window, config.horizon = s.windows.horizon;
    config.input.columns = columns;
    config.input.d_model = stack.block.d_model;
    config.input.encoding = s.encoding;
    config.input.time_width = s.time_width;
    config.input.positions = convention.positions();
    config.norm = s.window_norm, config.head = s.head;
    config.encoder = convention.encoder(stack), config.decoder = convention.decoder(stack);
    return config;
}

template <class Model>
Model drawn(const ForecastSettings& s, index_t columns) {
    Model model(config_of(s, columns));
    draw(model, *s.convention, *make_stream(s.convention->rng, s.training.trainer.seed));
    return model;
}

}  // namespace

std::unique_ptr<ForecastLearner> forecast_learner(const ForecastSettings& s, index_t columns) {
    if (s.model == ForecastModel::encoder_decoder)
        return std::make_unique<StepForecastLearner>(drawn<StepForecaster>(s, columns));
    return std::make_unique<WholeForecastLearner>(drawn<Forecaster>(s, columns));
}

std::string formula_of(const ForecastSettings& s, index_t columns) {
    return formula(config_of(s, columns), s.model == ForecastModel::encoder_decoder);
}

Device device_of(ForecastLearner& learner) { return learner.parameters().entries()[0].tensor->device(); }

}  // namespace glassbox
