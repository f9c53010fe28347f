#include <glassbox/backend/cpu/panel_product.h>

#include <algorithm>
#include <cstring>

#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/backend/cpu/small_product.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

// One vector register.
typedef real Wide __attribute__((vector_size(64)));
constexpr index_t width = 64 / sizeof(real);

constexpr index_t down = 12, across = 2 * width;  // a tile of C: 24 of 32 registers
constexpr index_t depth = 256;                    // a panel of B: 32 KB
constexpr index_t max_rows = 40 * down;           // rows of A per block: half a megabyte

constexpr double max_work = 1 << 27;  // multiply-adds; above, BLAS is faster with its larger blocks

// Padded, so that consecutive rows of A start in different cache sets: a power of two would map all to one.
constexpr index_t row_step = depth + width;

// The epilogue of a tile: C = [C +] alpha · sums [+ bias]
struct TileEpilogue {
    real alpha;
    const real* bias;  // of the tile's columns; null for none
    bool onto;         // accumulate: C already holds the sums over the previous rows of B
    index_t ldc;
};

// (Without unrolling, the sums would be indexed in memory instead of staying in registers.)
#define GLASSBOX_UNROLL _Pragma("GCC unroll 12")

// Stores a complete tile. `onto` adds the old C, otherwise the bias, if any.
template <bool onto>
[[gnu::always_inline]] inline void store_tile(Wide (&sum)[down][2], const real* bias, real* c, index_t ldc) {
    Wide left = {}, right = {};
    if (!onto && bias) std::memcpy(&left, bias, sizeof left), std::memcpy(&right, bias + width, sizeof right);
    GLASSBOX_UNROLL
    for (int r = 0; r < down; ++r) {
        real* const row = c + r * ldc;
        if (onto) std::memcpy(&left, row, sizeof left), std::memcpy(&right, row + width, sizeof right);
        sum[r][0] += left, sum[r][1] += right;
        std::memcpy(row, &sum[r][0], sizeof left), std::memcpy(row + width, &sum[r][1], sizeof right);
    }
}

// Stores only the last rows and first columns of a tile; the others belong to a neighbour or are outside C.
[[gnu::always_inline]] inline void store_partial_tile(const Wide (&sum)[down][2],
                                                      const TileEpilogue& epilogue, real* c,
                                                      index_t first_row, index_t columns) {
    real each[down][across];
    GLASSBOX_UNROLL
    for (int r = 0; r < down; ++r) {
        std::memcpy(each[r], &sum[r][0], sizeof(Wide));
        std::memcpy(each[r] + width, &sum[r][1], sizeof(Wide));
    }
    for (index_t r = first_row; r < down; ++r)
        for (index_t j = 0; j < columns; ++j) {
            real& to = c[r * epilogue.ldc + j];
            to = each[r][j] + (epilogue.onto ? to : epilogue.bias ? epilogue.bias[j] : 0);
        }
}

// A sum of outer products: for each l, column l of A times row l of B. A's entry (r, l) is at
// r · row + l · col.
template <index_t row, index_t col>
[[gnu::always_inline]] inline void tile(index_t k, const real* a, const real* b, const TileEpilogue& epilogue,
                                        real* c, index_t first_row, index_t columns) {
    Wide sum[down][2] = {};
    for (index_t l = 0; l < k; ++l, a += col, b += across) {
        Wide left, right;
        std::memcpy(&left, b, sizeof left), std::memcpy(&right, b + width, sizeof right);
        GLASSBOX_UNROLL
        for (int r = 0; r < down; ++r) {
            const real factor = a[r * row];
            sum[r][0] += factor * left;
            sum[r][1] += factor * right;
        }
    }
    if (epilogue.alpha != 1) {
        GLASSBOX_UNROLL
        for (int r = 0; r < down; ++r) sum[r][0] *= epilogue.alpha, sum[r][1] *= epilogue.alpha;
    }
    if (first_row > 0 || columns < across) return store_partial_tile(sum, epilogue, c, first_row, columns);
    if (epilogue.onto) store_tile<true>(sum, nullptr, c, epilogue.ldc);
    else store_tile<false>(sum, epilogue.bias, c, epilogue.ldc);
}

// All rows against one panel. The last tile is moved up to be complete, so it overlaps the one before.
template <index_t row, index_t col>
[[gnu::always_inline]] inline void tiles(index_t m, index_t k, const real* a, const real* panel,
                                         const TileEpilogue& epilogue, real* c, index_t columns) {
    for (index_t i = 0; i < m; i += down) {
        const index_t first = std::min(i, m - down);
        const real* const rows = col == 1 ? a + first * row : a + i * k;
        tile<row, col>(k, rows, panel, epilogue, c + first * epilogue.ldc, i - first, columns);
    }
}

// (Separate functions, so that the two layouts of A do not compete for registers.)
GLASSBOX_CLONES void tiles_of_rows(index_t m, index_t k, const real* a, const real* panel,
                                   const TileEpilogue& epilogue, real* c, index_t columns) {
    tiles<row_step, 1>(m, k, a, panel, epilogue, c, columns);
}

GLASSBOX_CLONES void tiles_of_columns(index_t m, index_t k, const real* a, const real* panel,
                                      const TileEpilogue& epilogue, real* c, index_t columns) {
    tiles<1, down>(m, k, a, panel, epilogue, c, columns);
}

// Packs A with contiguous rows: its rows, `row_step` apart.
void pack_rows(Matrix a, index_t m, index_t k, real* to) {
    for (index_t i = 0; i < m; ++i) std::copy_n(a.data + i * a.row, k, to + i * row_step);
}

// Packs A with contiguous columns: tile by tile, the columns of a tile one after the other.
GLASSBOX_CLONES void pack_tiles(Matrix a, index_t m, index_t k, real* to) {
    constexpr index_t block = 16;  // columns at a time, so that the next tile finds A's lines in the cache
    for (index_t begin = 0; begin < k; begin += block)
        for (index_t i = 0; i < m; i += down) {
            const real* const from = a.data + std::min(i, m - down);
            for (index_t l = begin; l < std::min(begin + block, k); ++l)
                std::memcpy(to + i * k + l * down, from + l * a.col, down * sizeof(real));
        }
}

// Packs `n` columns of B as rows of `across` numbers, padded with 0.
GLASSBOX_CLONES void pack_panel(Matrix b, index_t k, index_t n, real* to) {
    if (b.col != 1) return pack_columns(b, k, n, to, across);
    for (index_t l = 0; l < k; ++l, to += across) {
        if (n == across) std::memcpy(to, b.data + l * b.row, across * sizeof(real));
        else std::fill(std::copy_n(b.data + l * b.row, n, to), to + across, real(0));
    }
}

// One block of A's rows and columns times the matching rows of B.
void block_product(index_t m, index_t n, index_t k, const TileEpilogue& epilogue, Matrix a, Matrix b,
                   real* buffer, real* c) {
    real* const panel = buffer;
    real* const rows = buffer + depth * across;
    const bool by_rows = a.col == 1;
    if (by_rows) pack_rows(a, m, k, rows);
    else pack_tiles(a, m, k, rows);
    for (index_t j = 0; j < n; j += across) {
        const index_t columns = std::min(across, n - j);
        pack_panel({b.data + j * b.col, b.row, b.col}, k, columns, panel);
        TileEpilogue panel_epilogue = epilogue;
        if (panel_epilogue.bias) panel_epilogue.bias += j;
        (by_rows ? tiles_of_rows : tiles_of_columns)(m, k, rows, panel, panel_epilogue, c + j, columns);
    }
}

}  // namespace

void panel_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc) {
    const index_t blocks = (m + max_rows - 1) / max_rows;
    const index_t height = ((m + blocks - 1) / blocks + down - 1) / down * down;  // of similar size
    const Scratch buffer(depth * across + (height + down) * row_step);
    for (index_t l = 0; l < k; l += depth)
        for (index_t i = 0; i < m;) {
            // A block needs at least one tile's rows, so the last one takes the remainder.
            const index_t rows = m - i < height + down ? m - i : height;
            const Matrix block_of_a{a.data + i * a.row + l * a.col, a.row, a.col};
            const Matrix rows_of_b{b.data + l * b.row, b.row, b.col};
            block_product(rows, n, std::min(depth, k - l), {alpha, bias, l > 0, ldc}, block_of_a, rows_of_b,
                          buffer.data(), c + i * ldc);
            i += rows;
        }
}

bool suits_panel_product(index_t m, index_t n, index_t k) {
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return has_wide_registers() && m >= 64 && k >= 64 && (n % across == 0 || n >= 8 * across) &&
           work <= max_work;
}

}  // namespace glassbox
