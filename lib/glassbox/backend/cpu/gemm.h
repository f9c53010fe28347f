#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox {

// One matrix of a product: element (i, j) lies at data[i * row + j * col].
struct Matrix {
    const real* data;
    index_t row, col;  // strides
};

// C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n) + beta · C, single-threaded, on OpenBLAS.
// A and B may be transposed or lie inside larger arrays as long as one of their two strides is 1 and the
// other at least as large as their extent; is_blas_ready says so, and what is not is multiplied by plain,
// slow loops. With beta = 0 C is not read. The only place in Glassbox that talks to BLAS. The first call sets
// the whole program's OpenBLAS to one thread: Glassbox brings its own.
void gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c, index_t ldc);
bool is_blas_ready(Matrix a, index_t rows, index_t cols);

// False with a serial build of OpenBLAS, whose products go wrong when two threads ask for them.
bool blas_may_run_in_parallel();
const char* blas_core_name();  // "Cooperlake", "Haswell", …: which kernels OpenBLAS has picked

}  // namespace glassbox
