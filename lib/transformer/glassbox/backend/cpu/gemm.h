#pragma once
#include <mutex>
#include <string>

#include <glassbox/tensor/real.h>

namespace glassbox {

// An operand of a product: element (i, j) is data[i * row + j * col].
struct Matrix {
    const real* data;
    index_t row, col;  // strides
};

// C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n) + beta · C, single-threaded. A and B may be
// transposed or parts of larger arrays as long as one of their two strides is 1 and the other at least as
// large as their extent (is_blas_ready); otherwise slow plain loops are used. With beta = 0 C is not read.
void gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c, index_t ldc);
bool is_blas_ready(Matrix a, index_t rows, index_t cols);

// Products up to some size are our own, tile by tile: the bits of a row of C do not depend on how many rows
// there are. BLAS takes larger ones (Sizes::max_own).
bool is_tiled(index_t m, index_t n, index_t k, Matrix a, Matrix b);

// The same with BLAS, for operands that it accepts. The differences between its libraries are in blas/. The
// first call sets it to one thread for the whole process: Glassbox has its own thread pool.
void blas_gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c,
               index_t ldc);

// To be held during each call of BLAS, here and in backend/xtensor: it has been set up, and where it is not
// thread-safe other threads wait.
[[nodiscard]] std::unique_lock<std::mutex> turn_at_blas();

// Whether there has been one in this process.
bool blas_has_multiplied();

// False for a serial build of OpenBLAS, which is not thread-safe.
bool blas_may_run_in_parallel();
std::string blas_name();       // the library: "OpenBLAS 0.3.21"
std::string blas_core_name();  // the kernels that it has selected: "Cooperlake", "Haswell", …

}  // namespace glassbox
