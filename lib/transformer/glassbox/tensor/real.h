#pragma once
#include <cstdint>

namespace glassbox {

// The number type: float, or double in a build with GLASSBOX_DOUBLE (preset `double`), for strict checks of
// gradients by finite differences.
#ifdef GLASSBOX_DOUBLE
using real = double;
#else
using real = float;
#endif

using index_t = std::int64_t;  // sizes and positions

}  // namespace glassbox
