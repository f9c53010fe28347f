#pragma once
#include <glassbox/models/forecaster.h>
#include <glassbox/train/learner.h>

namespace glassbox {

namespace steps::forecast_learner {
inline constexpr const char* layer = "forecast_learner";
inline constexpr StepInfo losses{layer, "losses", "known (forecast − targets)²",
                                 "The squared error of each value; 0 where the series has none."};
inline constexpr StepInfo loss{layer, "loss", "Σ losses",
                               "Their sum; training divides it by the known ones."};
}  // namespace steps::forecast_learner

// A model of time series trained for the smallest squared error. Examples: those of WindowData.
class ForecastLearner : public Learner {
  public:
    Outcome score(const Examples& examples) const override;
    index_t counted(const Examples& examples) const override;
    // As in use, only from x and time: (n, H, c).
    virtual Tensor forecast(const Examples& examples) const = 0;
    virtual const SeriesInput& input() const = 0;  // of the window

  private:
    virtual Tensor trained_forecast(const Examples& examples) const = 0;
};

class WholeForecastLearner final : public ForecastLearner {
  public:
    explicit WholeForecastLearner(Forecaster forecaster) : model(std::move(forecaster)) {}

    Parameters parameters() override { return parameters_of(model); }
    Tensor forecast(const Examples& examples) const override;
    const SeriesInput& input() const override { return model.input; }

    Forecaster model;

  private:
    Tensor trained_forecast(const Examples& examples) const override { return forecast(examples); }
};

// In training, and in the loss of a validation, the decoder reads the true values so far (teacher forcing);
// forecast() feeds back its own.
class StepForecastLearner final : public ForecastLearner {
  public:
    explicit StepForecastLearner(StepForecaster forecaster) : model(std::move(forecaster)) {}

    Parameters parameters() override { return parameters_of(model); }
    Tensor forecast(const Examples& examples) const override;
    const SeriesInput& input() const override { return model.source; }

    StepForecaster model;

  private:
    Tensor trained_forecast(const Examples& examples) const override;
};

}  // namespace glassbox
