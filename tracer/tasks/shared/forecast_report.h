#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/tasks/forecast_learner.h>

#include "tasks/shared/forecast_data.h"
#include "tasks/task.h"

namespace glassbox {

// A way to forecast without a Transformer: from scaled windows (n, L, c) to (n, H, c).
struct Baseline {
    std::string name, about;  // "seasonal naive", "m = 24"
    std::function<Tensor(const Tensor& x)> forecast;
};

// The last value, and the seasonal naive forecast where there is a season: they learn nothing.
std::vector<Baseline> naive_baselines(const WindowConfig& config, index_t season);
// These, and the linear model, fitted to the training windows; its λ is the one of seven with the smallest
// RMSE on the validation windows.
std::vector<Baseline> baselines(const ForecastData& data);

// A model's forecasts for all windows, (n, H, c), computed some at a time.
Tensor forecasts_of(const ForecastLearner& learner, const WindowData& windows, Device device);

// MAE, RMSE and MASE of the model and the baselines on the test, the noise that nothing can forecast, and
// what Time2Vec has learned.
TestReport forecast_report(const ForecastData& data, const ForecastLearner& learner, const std::string& model,
                           Device device);

// Time2Vec's waves, the strongest first: period 2π/ω, φ, and the amplitude with which the wave enters the
// input network, ‖its column of W_in‖.
struct Wave {
    double period, phase, amplitude;
};
std::vector<Wave> waves_of(const SeriesInput& input);

}  // namespace glassbox
