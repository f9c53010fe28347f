#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox {

// How many operands this thread's products have had to copy because their strides did not suit BLAS.
// Transposes, heads and slices never need it; a test counts.
index_t matmul_copies();

}  // namespace glassbox
