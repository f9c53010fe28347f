#pragma once
#include <string>
#include <vector>

#include "figures/curves.h"
#include "figures/figure.h"

namespace tracer {

// A chart for each quantity, one below the other with one axis of steps. Its notes say what was left out.
Figure curves_figure(const std::vector<Curves>& runs, const std::vector<Quantity>& wanted,
                     bool is_logarithmic, const std::string& x_label);

}  // namespace tracer
