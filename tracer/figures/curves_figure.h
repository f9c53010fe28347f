#pragma once
#include <string>
#include <vector>

#include "figures/curves.h"
#include "figures/figure.h"

namespace tracer {

// A chart for each quantity, stacked, with a common axis of steps. The notes list values that were left out.
Figure curves_figure(const std::vector<Curves>& runs, const std::vector<Quantity>& wanted,
                     bool is_logarithmic, const std::string& x_label);

}  // namespace tracer
