#pragma once
#include <cmath>

namespace glassbox {

// Equal, or both NaN.
template <class Number>
bool equal_or_nan(Number a, Number b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace glassbox
