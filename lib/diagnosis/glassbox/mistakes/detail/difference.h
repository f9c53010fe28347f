#pragma once
#include <string>

#include <glassbox/mistakes/detail/tolerance.h>

namespace glassbox {

// "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)".
std::string shown_difference(const Tensor& given, const Tensor& expected, const WithinTolerance& found);

// What the difference looks like when no known mistake explains it: NaN from a row on, transposed, rows or
// heads exchanged, a constant factor or difference, only some rows. Empty if it looks like nothing in
// particular.
std::string looks_like(const Tensor& given, const Tensor& expected, const std::vector<double>& tolerance);

// The number of leading digits in which the two agree: 3 for 0.1 %. Where one alone is NaN they do not.
int digits_in_common(const Tensor& given, const Tensor& expected);

}  // namespace glassbox
