#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox {

// The first index of share i when `count` items are divided into `shares` contiguous shares.
inline index_t share_begin(index_t i, index_t count, index_t shares) { return i * count / shares; }

}  // namespace glassbox
