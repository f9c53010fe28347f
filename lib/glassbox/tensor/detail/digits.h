#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace glassbox {

// A number as text, with the fewest digits that read back as the same value and at most `precision` of them
// behind the point. Positional has a point always, and no zeros behind it that say nothing: "0.70056266",
// "1.". Scientific has a point where digits follow, "1.5e-07", "1e+05"; `least` asks for that many digits
// behind it, those of the exact value.
std::string positional(real value, int precision);
std::string scientific(real value, int precision, int least = 0);
std::string not_finite(real value);  // "nan", "inf", "-inf"

}  // namespace glassbox
