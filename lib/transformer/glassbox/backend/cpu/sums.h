#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// sums_j = Σ_i x_ij over rows of n numbers, on all threads if the matrix is large. Number is the type in
// which 8 rows are added at a time; their sums are added in double. In double a sum keeps its digits also
// where large numbers cancel; in `real` fewer numbers are converted, and long sums stay accurate all the
// same: that is for the gradients of biases, of which training computes one for each layer at each step.
template <class Number>
void column_sums(index_t rows, index_t n, Matrix x, real* sums);

}  // namespace glassbox
