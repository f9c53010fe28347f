#pragma once
#include "report/report.h"

namespace tracer {

// How much of a report's gradients finite differences look at: all of them where the computation is short.
struct Plan {
    index_t checked, of_all;        // so many of the steps and parameters are checked, spread evenly
    index_t of_step, of_parameter;  // numbers that are moved, of each that is
    index_t noise_every;  // so many of those the noise is measured; between, that of the one before counts

    bool checks(index_t place) const { return place * checked % of_all < checked; }
    index_t noise_runs(index_t place) const;  // before the numbers of that one
};

constexpr index_t runs_a_number = 8;  // of the computation, mostly; where a step is bent sharply, some more

// From what one run computes, which `trace` has, never from the clock: everybody's report says the same.
Plan gradient_plan(const glassbox::Trace& trace, index_t steps, index_t parameters);

}  // namespace tracer
