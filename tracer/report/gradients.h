#pragma once
#include <functional>

#include <glassbox/layers/parameters.h>

#include "report/report.h"
#include "report/scalar.h"

namespace glassbox::tracer {

// Called after each run of the computation with the runs done and the runs expected so far.
using Progress = std::function<void(index_t done, index_t runs)>;

// Fills gradient and difference of every step in the report: ∂scalar/∂step by the tape and by finite
// differences (see compare()), which change one element of the step and recompute everything after it; and
// the same for `parameters` and `inputs`, the very tensors that `forward` uses; an input that is a step by
// its name, or whole numbers, is left out. `forward` runs the computation once, under the active trace and
// tape. How many elements are checked depends on the size of one run. Steps of tokens have no gradient. False
// when a gradient differs; one that cannot be compared (NaN, or finite differences that are too coarse) does
// not count.
bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const ListParameters& parameters = {}, const ListParameters& inputs = {},
                   const Progress& progress = {});

}  // namespace glassbox::tracer
