#pragma once
#include <string>

#include <glassbox/tensor/real.h>
#include <glassbox/tensor/words.h>

namespace glassbox::tracer {

using glassbox::counted;  // "1 row", "3 rows"

// One number in a sentence or in arithmetic: the fewest digits that read back as the same value, at most
// `precision` after the point, but three digits of a small number (with a precision of 4 or more), and two of
// what would be 0. "-0.6613315", "1", "nan", "-inf", "0.00025".
std::string number(real value, int precision = 8);

// The same with exactly so many digits after the point, but fewer where these are the value: "0.0062", "0.5".
// Without the sign of what is rounded to 0.
std::string aligned_number(real value, int decimals);

// The same as number(), in parentheses when negative: for use after an operator.
std::string operand(real value, int precision = 8);

// Without the + of exponents: "-9e15".
std::string with_short_exponents(std::string text);

// A constant of a formula, such as a setting: "√2" for the square root of an integer (the divisor of scaled
// dot products); otherwise operand() with all digits, as 0.999 rounded to 1 would be another setting.
std::string root_or_number(real value);

}  // namespace glassbox::tracer
