#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

namespace lesson {

// |actual − expected| ≤ tolerance · max(1, |expected|): room for any order of summation in float, and a
// hundred times less than what a mistake changes.
constexpr double tolerance = 1e-5;

// The largest difference, in units of what is allowed; infinite for other shapes, and beside infinity or NaN.
double misfit(const glassbox::Tensor& actual, const glassbox::Tensor& expected);

// Empty when they agree, else the first difference: "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)".
// NaN differs from everything. Shapes must be equal.
std::string difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected);

}  // namespace lesson
