#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace glassbox {

// A number as text, with the fewest digits that round-trip, and at most `precision` digits after the point.
// positional() always writes the point and no trailing zeros: "0.70056266", "1.". scientific() writes the
// point only if digits follow it: "1.5e-07", "1e+05"; with `min_digits`, at least that many digits of
// the exact value follow it.
std::string positional(real value, int precision);
std::string scientific(real value, int precision, int min_digits = 0);
std::string not_finite(real value);  // "nan", "inf", "-inf"

}  // namespace glassbox
