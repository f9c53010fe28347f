#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// sums_j = Σ_i x_ij over rows of n numbers: groups of 8 rows in `real`, the groups in double, so that long
// sums stay accurate. On all threads if the matrix is large.
void column_sums(index_t rows, index_t n, Matrix x, real* sums);

}  // namespace glassbox
