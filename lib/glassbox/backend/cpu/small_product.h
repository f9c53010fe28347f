#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// Products of a few thousand to a few million multiply-adds, where BLAS spends much of its time packing A and
// B. Here A is read in place, and so is B if its rows are contiguous.
//     C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n), every row initialised with `bias` (n
//     numbers) unless null
// With a bias, alpha must be 1. C must not overlap A or B.
void small_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc);

// Whether small_product is faster than BLAS: on a machine with wide registers, and not too large.
bool suits_small_product(index_t m, index_t n, index_t k, Matrix b);

// Packs B with contiguous columns as rows of `step` numbers, padded with 0.
void pack_columns(Matrix b, index_t k, index_t n, real* to, index_t step);

// Whether a tile of 16 to 24 vectors fits in registers: AVX-512 has 32.
bool has_wide_registers();

}  // namespace glassbox
