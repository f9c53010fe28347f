#pragma once
#include <cmath>

#include <glassbox/tensor/real.h>

namespace glassbox {

// a < b with NaN above every number, as in NumPy and PyTorch: an order of all numbers, by which to look for
// the largest and to sort.
inline bool precedes(real a, real b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

}  // namespace glassbox
