#pragma once
#include <cstring>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/tensor/processor.h>

// The innermost part of every product: a tile of C that stays in registers while a row of B after the other
// is added to it.
namespace glassbox {

// For all products: an entry of C is the sum, in order, of sums of this many terms each. So its bits depend
// only on its row of A and its column of B, whichever kernel computes it.
constexpr index_t depth = 256;

// What becomes of the sums: C = [C +] alpha · sums [+ bias]
struct TileEpilogue {
    real alpha;
    const real* bias;  // of the tile's columns; null for none
    bool onto;         // C already holds the sums over the previous rows of B
    index_t ldc;
};

// The stored part of a tile: all but the first rows and columns, which overlap a neighbour, and those outside
// C.
struct TilePart {
    index_t first_row, first_column, columns;
};

// (Without unrolling, the sums would be indexed in memory instead of staying in registers.)
#define GLASSBOX_UNROLL _Pragma("GCC unroll 16")

// R rows by W registers.
template <class Set, int R, int W>
[[GLASSBOX_INLINED]] inline void store_part(const Vector<Set> (&sum)[R][W], const TileEpilogue& to, real* c,
                                            const TilePart& part) {
    real each[R][W * width<Set>];
    GLASSBOX_UNROLL
    for (int r = 0; r < R; ++r) GLASSBOX_UNROLL
    for (int w = 0; w < W; ++w) std::memcpy(each[r] + w * width<Set>, &sum[r][w], sizeof(Vector<Set>));
    for (index_t r = part.first_row; r < R; ++r)
        for (index_t j = part.first_column; j < part.columns; ++j) {
            real& entry = c[r * to.ldc + j];
            entry = each[r][j] + (to.onto ? entry : to.bias ? to.bias[j] : 0);
        }
}

// For each l < k, column l of A times row l of B: A's entry (r, l) is at r · row + l · col, B's rows are
// `step` apart.
template <class Set, int R, int W>
[[GLASSBOX_INLINED]] inline void tile(index_t k, const Matrix& a, const real* b, index_t step,
                                      const TileEpilogue& to, real* c, const TilePart& part) {
    constexpr index_t across = W * width<Set>;
    Vector<Set> sum[R][W] = {};
    if (k >= depth / 2)  // C is far away when the sums are ready
        GLASSBOX_UNROLL
    for (int r = 0; r < R; ++r) __builtin_prefetch(c + r * to.ldc, 1);
    const real* factors = a.data;
    for (index_t l = 0; l < k; ++l, factors += a.col, b += step) {
        Vector<Set> row[W];
        GLASSBOX_UNROLL
        for (int w = 0; w < W; ++w) std::memcpy(&row[w], b + w * width<Set>, sizeof row[w]);
        GLASSBOX_UNROLL
        for (int r = 0; r < R; ++r) {
            const real factor = factors[r * a.row];
            GLASSBOX_UNROLL
            for (int w = 0; w < W; ++w) sum[r][w] += factor * row[w];
        }
    }
    if (to.alpha != 1) {
        GLASSBOX_UNROLL
        for (int r = 0; r < R; ++r) GLASSBOX_UNROLL
        for (int w = 0; w < W; ++w) sum[r][w] *= to.alpha;
    }
    const bool overlaps = part.first_row > 0 || part.first_column > 0;
    // What overlaps is stored twice, with the same result, unless it is added.
    if (part.columns < across || (overlaps && to.onto)) return store_part<Set, R, W>(sum, to, c, part);
    Vector<Set> first[W] = {};
    if (to.bias && !to.onto) std::memcpy(first, to.bias, sizeof first);
    GLASSBOX_UNROLL
    for (int r = 0; r < R; ++r) {
        real* const entries = c + r * to.ldc;
        GLASSBOX_UNROLL
        for (int w = 0; w < W; ++w) {
            if (to.onto) std::memcpy(&first[w], entries + w * width<Set>, sizeof first[w]);
            sum[r][w] += first[w];
            std::memcpy(entries + w * width<Set>, &sum[r][w], sizeof sum[r][w]);
        }
    }
}

// All rows of some columns. The last tile is moved up to be complete, so it overlaps the one before.
// `rows_of` gives A from a row on.
template <class Set, int R, int W, class RowsOf>
[[GLASSBOX_INLINED]] inline void tiles(index_t m, index_t k, const RowsOf& rows_of, const real* b,
                                       index_t step, const TileEpilogue& to, real* c, const TilePart& part) {
    for (index_t i = 0; i < m; i += R) {
        const index_t first = i + R <= m ? i : m - R;
        tile<Set, R, W>(k, rows_of(i, first), b, step, to, c + first * to.ldc,
                        {i - first, part.first_column, part.columns});
    }
}

}  // namespace glassbox
