#include "report/gradient_plan.h"

#include <algorithm>

#include <glassbox/ops/detail/rounding_noise.h>

namespace tracer {
namespace {

constexpr double most_numbers = 1.5e9;   // in all runs together: some seconds
constexpr index_t most_runs = 12288;     // where they are short
constexpr double a_step_is_worth = 500;  // a small op takes as long as so many numbers of a large one
constexpr index_t most_of_step = 256, most_of_parameter = 4;

index_t affordable_runs(const glassbox::Trace& trace) {
    double numbers = 0;
    for (const glassbox::Trace::Step& step : trace.steps())
        numbers += static_cast<double>(step.value.numel()) + a_step_is_worth;
    return static_cast<index_t>(std::min(most_numbers / numbers, static_cast<double>(most_runs)));
}

}  // namespace

index_t Plan::noise_runs(index_t place) const {
    return place % noise_every == 0 ? glassbox::differences::rounding_noise_values : 0;
}

// Parameters get up to half of the numbers, the steps what is left; noise is measured as often as costs a
// quarter of the runs.
Plan gradient_plan(const glassbox::Trace& trace, index_t steps, index_t parameters) {
    const index_t runs = std::max(affordable_runs(trace), runs_a_number), numbers = runs / runs_a_number;
    Plan plan{};
    plan.of_all = std::max<index_t>(1, steps + parameters);
    plan.checked = std::min(plan.of_all, numbers);
    plan.of_parameter = std::clamp<index_t>(numbers / (2 * plan.checked), 1, most_of_parameter);
    const index_t left = plan.of_all * numbers / plan.checked - plan.of_parameter * parameters;
    plan.of_step = std::clamp<index_t>(left / std::max<index_t>(1, steps), 1, most_of_step);
    plan.noise_every = 1 + 4 * glassbox::differences::rounding_noise_values * plan.checked / runs;
    return plan;
}

}  // namespace tracer
