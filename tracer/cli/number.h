#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace tracer {

using glassbox::real;

// One number in a sentence or in arithmetic: the fewest digits that read back as the same value, at most
// `precision` after the point. "-0.6613315", "1", "nan", "-inf", "1.5e-07".
std::string number(real value, int precision = 8);

// The same, in parentheses when negative: for use after an operator.
std::string operand(real value, int precision = 8);

// "√2" for the square root of an integer (the divisor of scaled dot products); otherwise operand().
std::string root_or_number(real value, int precision);

}  // namespace tracer
