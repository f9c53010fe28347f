#pragma once
#include <functional>

#include <glassbox/layers/parameters.h>

#include "report/report.h"
#include "report/scalar.h"

namespace tracer {

// Told after each run of the computation: how many were done of how many that are expected by now.
using Progress = std::function<void(index_t done, index_t runs)>;

// Fills gradient and difference of every step that is shown: ∂scalar/∂step by the tape beside finite
// differences (see compare()), where one number of the step is moved and everything behind it computed again;
// and the same of `parameters`, which `forward` must use through these very tensors. `forward` runs the
// computation once, under whatever listens. How many numbers are checked follows from how many one run
// computes. Steps of tokens have no gradient. False when a gradient differs; one that cannot be compared
// (NaN, or finite differences that are too coarse) does not.
bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::ListParameters& parameters = {}, const Progress& progress = {});

}  // namespace tracer
