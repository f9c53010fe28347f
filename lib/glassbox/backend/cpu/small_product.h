#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// Products of a few thousand to a few million multiply-adds, where BLAS spends much of its time on copying A
// and B into an order that it likes. Here A is read as it lies, and so is B where its rows are adjacent
// numbers.
//     C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n), every row begun with `bias` (n numbers)
//     unless null
// With a bias alpha is 1. C may not overlap A or B.
void small_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc);

// Whether small_product is the faster way here: on a machine with wide registers, and not too large.
bool suits_small_product(index_t m, index_t n, index_t k, Matrix b);

// B as rows of `step` numbers, where those of its columns are adjacent; what is beyond n is 0.
void lay_out_columns(Matrix b, index_t k, index_t n, real* to, index_t step);

// Whether a tile of some 16 to 24 registers stays in registers: those of AVX-512 are 32.
bool has_wide_registers();

}  // namespace glassbox
