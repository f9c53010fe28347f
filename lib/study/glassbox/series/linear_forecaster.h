#pragma once
#include <vector>

#include <glassbox/layers/linear.h>
#include <glassbox/observe/step.h>

namespace glassbox::detail {
struct Matrix;
}

namespace glassbox {

namespace steps::linear_forecaster {
inline constexpr const char* layer = "linear_forecaster";
inline constexpr StepInfo x{layer, "x", "", "The window: the last L values."};
inline constexpr StepInfo trend{layer, "trend", "moving average of x",
                                "The moving average; beyond the window's ends its outermost values repeat."};
inline constexpr StepInfo remainder{layer, "remainder", "x − trend", "What the average leaves: the seasons."};
inline constexpr StepInfo forecast{layer, "forecast", "W_trend trend + W_remainder remainder + b",
                                   "Each value to come is a weighted sum of the window's."};
}  // namespace steps::linear_forecaster

namespace steps::stepwise {
inline constexpr const char* layer = "stepwise";
inline constexpr StepInfo window{layer, "window", "the last L of x ‖ forecast[… h − 1]",
                                 "What is known at this step: the newest values are forecasts themselves."};
inline constexpr StepInfo next{layer, "next", "model(window)[0]", "The model's forecast of the next value."};
inline constexpr StepInfo forecast{layer, "forecast", "each step's next",
                                   "The steps ahead, each from those before it."};
}  // namespace steps::stepwise

// DLinear, a linear model over the window that many Transformers do not beat (Zeng et al. 2023, "Are
// Transformers Effective for Time Series Forecasting?"): x (…, L, c) → (…, H, c), the same weights for each
// column. Steps: x trend remainder forecast.
struct LinearForecaster {
    // weights 0; a moving average over `width` steps, odd (the source's is 25).
    LinearForecaster(index_t window, index_t horizon, index_t width = 25);

    Tensor operator()(const Tensor& x) const;
    void parameters(Parameters& all) { all("trend", trend), all("remainder", remainder); }

    Linear trend;      // (H, L) and b (H)
    Linear remainder;  // (H, L), no bias

  private:
    friend std::vector<LinearForecaster> fitted(const LinearForecaster& model, const Tensor& x,
                                                const Tensor& targets, const Tensor& known,
                                                const std::vector<double>& lambdas);
    detail::Matrix decomposition() const;  // (2L, L): trend ‖ remainder = decomposition x

    Tensor average_;  // (L, L): trend = average x
};

// Only the next value, and from that the one after it, and so on: x (…, L, c) → (…, H, c). Steps:
// step/0/window x trend remainder forecast next, …, forecast.
Tensor stepwise_forecast(const LinearForecaster& model, const Tensor& x, index_t horizon);

// Fits the weights in closed form: ridge regression, argmin Σ known (forecast − targets)² + λ ‖W‖², the
// intercept b not penalised. Each step ahead has its own row of weights, for which the windows count whose
// target is known at that step; a step that is known in none becomes the window's last value. The source fits
// by gradient descent; the least squares have one answer, and no rate, epochs or seed. x (n, L, c), targets
// and known (n, H, c); λ ≥ 0 counts per known target. Throws Error if nothing is known.
void fit(LinearForecaster& model, const Tensor& x, const Tensor& targets, const Tensor& known, double lambda);
// The model fitted with each λ: one pass over the windows for all.
std::vector<LinearForecaster> fitted(const LinearForecaster& model, const Tensor& x, const Tensor& targets,
                                     const Tensor& known, const std::vector<double>& lambdas);

}  // namespace glassbox
