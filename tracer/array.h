#pragma once
#include <string>

#include <glassbox/tensor/tensor.h>

namespace tracer {

using glassbox::index_t;
using glassbox::real;

struct NumberStyle {
    int precision = 8;     // most digits after the point, as numpy.set_printoptions has it
    bool heat = false;     // background colours: the larger, the warmer
    int threshold = 1000;  // more elements than this are summarised
    int edge = 3;          // … to this many at each end of an axis
    int width = 75;        // longest line, not counting the indent
};

// An array as NumPy prints it: brackets, aligned on the point, one scientific format for all where sizes
// differ by more than 1000, long lines wrapped, long arrays summarised. One deviation: a number of −1e14 or
// less, as a hidden score is (−9e15 or −1e14), does not count for the format and is printed as "-9e+15";
// NumPy would print all the others in scientific notation because of it. The rule looks at the number alone,
// so one of that size that hides nothing is printed so too: only its digits beyond six are not shown.
std::string array(const glassbox::Tensor& x, const NumberStyle& style, const std::string& indent);

}  // namespace tracer
