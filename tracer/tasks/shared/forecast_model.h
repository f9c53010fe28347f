#pragma once
#include <memory>
#include <string>

#include <glassbox/tasks/forecast_learner.h>

#include "tasks/shared/forecast_settings.h"

namespace glassbox {

// The model of these settings, initialised by their convention and seed.
std::unique_ptr<ForecastLearner> forecast_learner(const ForecastSettings& settings, index_t columns);
std::string formula_of(const ForecastSettings& settings, index_t columns);
Device device_of(ForecastLearner& learner);

}  // namespace glassbox
