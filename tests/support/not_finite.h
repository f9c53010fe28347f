#pragma once
#include <limits>

#include <glassbox/tensor/real.h>

namespace glassbox_test {

inline constexpr glassbox::real NaN = std::numeric_limits<glassbox::real>::quiet_NaN(),
                                infinity = std::numeric_limits<glassbox::real>::infinity();

}  // namespace glassbox_test
