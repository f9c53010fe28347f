#pragma once
#include <functional>

#include "figures/figure.h"
#include "tasks/answer.h"

namespace tracer {

// The figure of --map for a prediction that `forward` runs; empty for the default, the maps of every layer.
// The returned function refers to `prediction`.
std::function<Figure()> prediction_map(const glassbox::Prediction& prediction,
                                       const std::function<void()>& forward);

}  // namespace tracer
