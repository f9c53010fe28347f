#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// Products of about a million to a hundred million multiply-adds, as in the layers of a model in training: B
// is processed in panels that fit the L1 cache, each multiplied with all rows of A, which stay in L2.
//     C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n), plus `bias` (n numbers) in every row
//     unless null
// A and B as for gemm, with m ≥ 12. C must not overlap A or B. The bits of an entry depend only on its row of
// A and its column of B, not on m and n.
void panel_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc);

// Whether panel_product is faster than BLAS: on a machine with wide registers, and for sizes too small to
// amortise BLAS's packing of A and B.
bool suits_panel_product(index_t m, index_t n, index_t k);

}  // namespace glassbox
