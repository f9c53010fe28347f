#include "report/gradient_plan.h"

#include <algorithm>

#include <glassbox/ops/testing.h>

namespace glassbox::tracer {
namespace {

constexpr double max_computed = 1.5e9;  // numbers computed in all runs together: some seconds
constexpr index_t max_runs = 12288;     // for short computations
constexpr double cost_of_step = 500;    // fixed cost of an op, in numbers computed
constexpr index_t max_per_step = 256, max_per_parameter = 4;

index_t affordable_runs(const Trace& trace) {
    double computed = 0;
    for (const Trace::Step& step : trace.steps())
        computed += static_cast<double>(step.value.numel()) + cost_of_step;
    return static_cast<index_t>(std::min(max_computed / computed, static_cast<double>(max_runs)));
}

}  // namespace

index_t Plan::noise_runs(index_t place) const {
    return place % noise_interval == 0 ? glassbox::numerics::rounding_noise_values : 0;
}

// Parameters get up to half of the numbers, the steps the rest; noise measurements take about a quarter of
// the runs.
Plan gradient_plan(const Trace& trace, index_t steps, index_t parameters) {
    const index_t runs = std::max(affordable_runs(trace), runs_per_number), budget = runs / runs_per_number;
    Plan plan{};
    plan.total = std::max<index_t>(1, steps + parameters);
    plan.checked = std::min(plan.total, budget);
    plan.per_parameter = std::clamp<index_t>(budget / (2 * plan.checked), 1, max_per_parameter);
    const index_t remaining = plan.total * budget / plan.checked - plan.per_parameter * parameters;
    plan.per_step = std::clamp<index_t>(remaining / std::max<index_t>(1, steps), 1, max_per_step);
    plan.noise_interval = 1 + 4 * glassbox::numerics::rounding_noise_values * plan.checked / runs;
    return plan;
}

}  // namespace glassbox::tracer
