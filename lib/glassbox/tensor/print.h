#pragma once
#include <functional>
#include <string>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// How arrays are printed. A Tensor goes to fmt and to a stream in this way, too: fmt::print("{:.3}", x) has
// three digits behind the point.
struct PrintStyle {
    int precision = 8;       // most digits behind the point, as numpy.set_printoptions has it
    int threshold = 1000;    // more elements than this are summarised
    int edge = 3;            // … to this many at each end of an axis
    int width = 75;          // longest line, not counting the indent
    bool whole = false;      // whole numbers, such as tokens, without a point: 3 instead of 3.
    bool minus_zero = true;  // −0 is "-0.", as NumPy has it, and what is rounded to it; else "0."
    // Called with each number's text: what it returns stands in its place, and looks as wide (colours).
    std::function<std::string(const std::string& text, real value)> decorate = {};
};

// An array as NumPy prints it: brackets, aligned on the point, one scientific format for all where sizes
// differ by more than 1000, long lines wrapped, long arrays summarised. One deviation: a number of −1e14 or
// less, as a hidden score is (−9e15 or −1e14), does not count for the format and is printed as "-9e+15";
// NumPy would print all the others in scientific notation because of it. The rule looks at the number alone,
// so one of that size that hides nothing is printed so too: only its digits beyond six are not shown.
std::string to_text(const Tensor& x, const PrintStyle& style = {}, const std::string& indent = "");

bool is_hidden_score(real value);  // finite, and −1e14 or less

}  // namespace glassbox
