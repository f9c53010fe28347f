#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::naive {
inline constexpr const char* layer = "naive";
inline constexpr StepInfo last_value{layer, "forecast", "x[t]", "Nothing changes: the last value, H times."};
inline constexpr StepInfo seasonal{layer, "forecast", "x[t + h − m ⌈h / m⌉]",
                                   "The season repeats: each value as it was m steps earlier."};
}  // namespace steps::naive

// The two forecasts that a model must beat (Hyndman and Athanasopoulos, "Forecasting: Principles and
// Practice", section 5.2). x (…, L, c) → (…, horizon, c). Step: forecast. Throw Error for a horizon below 1,
// an empty window, and a season of m steps that is not in [1, L].
Tensor last_value_forecast(const Tensor& x, index_t horizon);
Tensor seasonal_naive_forecast(const Tensor& x, index_t horizon, index_t season);

}  // namespace glassbox
