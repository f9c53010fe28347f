#pragma once
#include <memory>
#include <string>

#include <glassbox/tasks/forecast_learner.h>

#include "tasks/settings.h"

namespace glassbox {

// The model of these settings, initialised by their convention and seed.
std::unique_ptr<ForecastLearner> forecast_learner(const Settings& settings, index_t columns);
std::string formula_of(const Settings& settings, index_t columns);
bool decodes(const Settings& settings);  // --model encoder-decoder
Device device_of(ForecastLearner& learner);

}  // namespace glassbox
