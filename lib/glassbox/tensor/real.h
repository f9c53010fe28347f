#pragma once
#include <cstdint>

namespace glassbox {

// The one number type: float, or double in a build with GLASSBOX_DOUBLE (preset `double`), whose sharper
// arithmetic makes finite differences a strict check.
#ifdef GLASSBOX_DOUBLE
using real = double;
#else
using real = float;
#endif

using index_t = std::int64_t;  // sizes and positions

}  // namespace glassbox
