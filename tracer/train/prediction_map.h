#pragma once
#include <functional>

#include <glassbox/tasks/answer.h>

#include "figures/figure.h"

namespace tracer {

// What --map draws of a prediction that `forward` runs: empty for the attention of every layer, as for any
// other model. Looks at both when it draws.
std::function<Figure()> prediction_map(const glassbox::Prediction& prediction,
                                       const std::function<void()>& forward);

}  // namespace tracer
