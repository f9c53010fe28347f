#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// Products of some million to some hundred million multiply-adds, those of a layer that is trained: B goes by
// in panels that fit the first-level cache, each times all rows of A, which stay in the second.
//     C (m × n, rows `ldc` apart) = alpha · A (m × k) · B (k × n), and `bias` (n numbers) added to every row
//     unless null
// A and B as gemm takes them, m of 12 or more. C may not overlap A or B. An entry's bits depend on its row of
// A and its column of B alone, not on m and n.
void panel_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc);

// Whether panel_product is faster than BLAS here: on a machine with wide registers, and for sizes at which
// BLAS's own copies of A and B are not yet paid for.
bool suits_panel_product(index_t m, index_t n, index_t k);

}  // namespace glassbox
