#pragma once
#include "report/report.h"

namespace glassbox::tracer {

// Which of a report's gradients finite differences check: all of them where the computation is short.
struct Plan {
    index_t checked, total;           // steps and parameters: how many are checked, spread evenly
    index_t per_step, per_parameter;  // elements checked in each of them
    index_t noise_interval;           // the noise is measured for every n-th of them and reused in between

    bool checks(index_t place) const { return place * checked % total < checked; }
    index_t noise_runs(index_t place) const;  // runs for noise before checking this one
};

constexpr index_t runs_per_number = 8;  // runs of the computation, usually; more where curvature is high

// Depends only on what one run computes, given by `trace`, never on the clock, so that reports are
// reproducible.
Plan gradient_plan(const Trace& trace, index_t steps, index_t parameters);

}  // namespace glassbox::tracer
