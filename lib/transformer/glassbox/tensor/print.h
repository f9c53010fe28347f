#pragma once
#include <functional>
#include <limits>
#include <string>

#include <glassbox/tensor/real.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// How arrays are printed. fmt and streams print a Tensor in the same way: fmt::print("{:.3}", x) has three
// digits after the point.
struct PrintStyle {
    int precision = 8;       // maximum digits after the point, as in numpy.set_printoptions
    int threshold = 1000;    // arrays with more elements than this are summarised
    int edge = 3;            // … to this many at each end of an axis
    int width = 75;          // maximum line width, not counting the indent
    bool whole = false;      // integers, such as tokens, without a point: 3 instead of 3.
    bool minus_zero = true;  // −0, and what is rounded to it, prints as "-0.", as in NumPy; else as "0."
    // Called with each number's text; returns the text to print instead, of the same visible width (colours).
    std::function<std::string(const std::string& text, real value)> decorate = {};
};

// An array as NumPy prints it: in brackets, aligned on the point, all in scientific notation if magnitudes
// differ by a factor of more than 1000, long lines wrapped, long arrays summarised. One deviation: a number
// of −1e14 or less, such as a masked score (−9e15 or −1e14), is ignored when the format is chosen and printed
// as "-9e+15"; NumPy would print all the others in scientific notation because of it. The rule depends only
// on the value, so an unmasked number of that size is printed the same way, with at most six digits.
std::string to_text(const Tensor& x, const PrintStyle& style = {}, const std::string& indent = "");

bool is_hidden_score(real value);  // finite, and −1e14 or less

// To be printed: NaN without its sign, which is meaningless and differs between processors.
inline double without_nan_sign(double value) {
    return value == value ? value : std::numeric_limits<double>::quiet_NaN();
}

// A number as text, with the fewest digits that round-trip, and at most `precision` digits after the point.
// positional() always writes the point and no trailing zeros: "0.70056266", "1.". scientific() writes the
// point only if digits follow it: "1.5e-07", "1e+05"; with `min_digits`, at least that many digits of
// the exact value follow it.
std::string positional(real value, int precision);
std::string scientific(real value, int precision, int min_digits = 0);
std::string not_finite(real value);  // "nan", "inf", "-inf"

}  // namespace glassbox
