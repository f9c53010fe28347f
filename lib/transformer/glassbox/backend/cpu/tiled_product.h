#pragma once
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

// C (m × n, rows `ldc` apart) = [C +] alpha · A (m × k) · B (k × n) [+ bias], on the calling thread.
struct TiledProduct {
    index_t m, n, k;
    real alpha;
    Matrix a, b;
    const real* bias;  // n numbers, added to every row; null for none
    bool onto;         // C is added to; then there is no bias
    real* c;
    index_t ldc;
};

// A and B as BLAS takes them (is_blas_ready), k > 0; C must not overlap them. The bits of an entry depend
// only on its row of A and its column of B, not on m and n.
void tiled_product(const TiledProduct& p);

// The two ways, which give the same bits. Small products read A where it is, and B if its rows are
// contiguous: packing them would take as long as multiplying.
void small_product(const TiledProduct& p);
// Both are packed, block by block, so that they are read from near caches. m ≥ 12.
void panel_product(const TiledProduct& p);

}  // namespace glassbox
