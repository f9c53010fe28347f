#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// sums_j = Σ_i x_ij over rows of n numbers: 8 rows at a time as they are, these in double, so that a long sum
// is as good as a short one. On all threads when there is much of it.
void column_sums(index_t rows, index_t n, Matrix x, real* sums);

}  // namespace glassbox
