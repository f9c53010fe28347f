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

// "√2" for the root of a whole number: the divisor of scaled dot products; else operand().
std::string root_or_number(real value, int precision);

// What these and arrays are made of. Positional has a point always, and no zeros behind it that say nothing:
// "0.70056266", "1.". Scientific has a point where digits follow, "1.5e-07", "1e+05"; `least` asks for that
// many digits behind it, those of the exact value.
std::string positional(real value, int precision);
std::string scientific(real value, int precision, int least = 0);
std::string not_finite(real value);  // "nan", "inf", "-inf"

}  // namespace tracer
