#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox {

// Where share i of `count` things dealt out to `shares` begins.
inline index_t share_begin(index_t i, index_t count, index_t shares) { return i * count / shares; }

}  // namespace glassbox
