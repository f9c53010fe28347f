#include <glassbox/tasks/forecast_learner.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

namespace step = steps::forecast_learner;

// loss = Σ known (forecast − targets)²
Outcome ForecastLearner::score(const Examples& examples) const {
    const Tensor forecast = trained_forecast(examples);  // (n, H, c)
    Tensor losses =
        named(step::losses, examples["known"] * squared_error(forecast, examples["targets"]));  // (n, H, c)
    return {named(step::loss, sum(losses))};
}

index_t ForecastLearner::counted(const Examples& examples) const {
    const std::vector<real> known = examples["known"].values();
    return std::count_if(known.begin(), known.end(), [](real one) { return one != 0; });
}

Tensor WholeForecastLearner::forecast(const Examples& examples) const {
    return model(examples["x"], examples["time"]);
}

Tensor StepForecastLearner::forecast(const Examples& examples) const {
    return model.forecast(examples["x"], examples["time"], examples["target_time"]);
}

Tensor StepForecastLearner::trained_forecast(const Examples& examples) const {
    const Tensor before = values_before(examples["x"], examples["targets"]);
    // The times of the values before: one step earlier.
    return model(examples["x"], examples["time"], before, examples["target_time"] - 1);
}

}  // namespace glassbox
