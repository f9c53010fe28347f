#pragma once
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace tracer {

using glassbox::index_t;
using glassbox::real;

struct NumberStyle {
    int precision = 8;     // most digits after the point, as numpy.set_printoptions has it
    bool heat = false;     // background colours: the larger, the warmer
    int threshold = 1000;  // more elements than this are summarised
    int edge = 3;          // … to this many at each end of an axis
    int width = 75;        // longest line
};

// One number as NumPy prints it alone: the fewest digits that read back as the same value, at most
// `precision` after the point. "-0.6613315", "1.", "nan", "-inf", "1.5e-07".
std::string number(real value, int precision = 8);

// The same, in parentheses when negative: for use after an operator.
std::string operand(real value, int precision = 8);

// An array as NumPy prints it: brackets, aligned on the point, one scientific format for all where sizes
// differ by more than 1000; a hidden score (−9e15) does not count for that and is printed as "-9e+15".
std::string array(const glassbox::Tensor& x, const NumberStyle& style, const std::string& indent);

}  // namespace tracer
