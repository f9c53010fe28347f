#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

namespace tracer {

// How many digits after the point a tensor's numbers are given with: none if all are whole; more than
// `wanted` if even the largest would have fewer digits than that, such as Adam's averages of squares.
int decimals_of(const glassbox::Tensor& x, int wanted);
// "-0.66", "0.00" for -0, "-9e15" for a hidden score, "∞". A half is rounded away from 0, as in school:
// products of numbers with few decimals often end in one.
std::string sheet_number(glassbox::real value, int decimals);
// Each number as sheet_number() shows it, so that it can be computed with what is printed. Returns x itself
// where nothing changes.
glassbox::Tensor rounded(const glassbox::Tensor& x, int decimals);

}  // namespace tracer
