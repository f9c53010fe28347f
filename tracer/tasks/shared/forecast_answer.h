#pragma once
#include "tasks/shared/forecast_settings.h"
#include "tasks/task.h"

namespace glassbox {

// `tracer predict forecast`: the values after the end of the series, or of another file's (--series), or
// those of a window of the test (--at), with the truth.
void check_forecast_request(const PredictRequest& request);
Answerer forecast_answerer(const ForecastSettings& settings, const PredictRequest& request);

}  // namespace glassbox
