#pragma once
#include <string_view>
#include <vector>

#include "subject/written_array.h"

namespace tracer {

// Half a unit of the last digit that was written: 0.005 for 1.25, 0.5e-5 for 1e-05. NumPy and PyTorch print 1
// as "1." and leave out zeros only, of 8 decimals or 4.
double half_width_of(std::string_view digits);

// By how much each number of an array may be rounded, by all of them together; empty: not at all.
std::vector<double> half_widths_of(const std::vector<Number>& numbers);

}  // namespace tracer
