#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::forecast_errors {
inline constexpr const char* layer = "forecast_errors";
inline constexpr StepInfo error{layer, "error", "known (forecast − truth)",
                                "How far each forecast is off; 0 where the truth was not measured."};
inline constexpr StepInfo mae{layer, "mae", "Σ |error| / Σ known",
                              "MAE, the mean absolute error of each column, in its own units."};
inline constexpr StepInfo rmse{layer, "rmse", "√(Σ error² / Σ known)",
                               "RMSE, the root of the mean squared error: large errors count more."};
inline constexpr StepInfo mase{layer, "mase", "mae / scale",
                               "MASE: below 1 is better than repeating the season one step ahead."};
inline constexpr StepInfo scale{layer, "scale", "mean |x[t] − x[t − m]|",
                                "What repeating the season costs within the training part."};
}  // namespace steps::forecast_errors

// Errors of each column, (c).
struct ForecastErrors {
    Tensor mae, rmse, mase;
};

// The denominator of MASE: the mean absolute error of the seasonal naive forecast within the training part,
// over pairs of which both values are known (Hyndman and Koehler 2006, "Another look at measures of forecast
// accuracy"; with a season of m = 1 their non-seasonal one). training and known (T, c) → (c). Step: scale,
// NaN for a column without such a pair. Throws Error for other shapes.
Tensor seasonal_scale(const Tensor& training, const Tensor& known, index_t season);

// Over all windows and the whole horizon. forecast, truth, known (…, c); scale (c). Steps: error mae rmse
// mase; NaN for a column without a known value. Throws Error for other shapes.
ForecastErrors forecast_errors(const Tensor& forecast, const Tensor& truth, const Tensor& known,
                               const Tensor& scale);

}  // namespace glassbox
