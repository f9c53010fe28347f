#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// Copies B (k × n), of which the rows or the columns are contiguous, as k rows of `step` ≥ n numbers, padded
// with 0.
void pack(Matrix b, index_t k, index_t n, real* to, index_t step);

}  // namespace glassbox
