#pragma once
#include <memory>
#include <string>

#include <glassbox/tasks/forecast_learner.h>

#include "tasks/shared/forecast_settings.h"
#include "tasks/task.h"

namespace glassbox {

// The model of these settings, initialised by their convention and seed.
std::unique_ptr<ForecastLearner> forecast_learner(const ForecastSettings& settings, index_t columns);
std::string formula_of(const ForecastSettings& settings, index_t columns);
Device device_of(ForecastLearner& learner);

// `tracer predict forecast`: the values after the end of the series, or of another file's (--series), or
// those of a window of the test (--at), with the truth.
void check_forecast_request(const PredictRequest& request);
Answerer forecast_answerer(const ForecastSettings& settings, const PredictRequest& request);

}  // namespace glassbox
