#include <glassbox/backend/cpu/panel_product.h>

#include <algorithm>
#include <cstring>

#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/backend/cpu/small_product.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

// One register of numbers side by side.
typedef real Wide __attribute__((vector_size(64)));
constexpr index_t width = 64 / sizeof(real);

constexpr index_t down = 12, across = 2 * width;  // a tile of C: 24 of 32 registers
constexpr index_t depth = 256;                    // a panel of B: 32 KB
constexpr index_t most_rows = 40 * down;          // rows of A at a time: half a megabyte

constexpr double most_work = 1 << 27;  // multiply-adds: above, BLAS's larger blocks win

// Rows of A side by side begin in different sets of the cache: a power of two would put them all into one.
constexpr index_t row_step = depth + width;

// What becomes of a tile's sums: C = [C +] alpha · sums [+ bias]
struct Ending {
    real alpha;
    const real* bias;  // of the tile's columns; null for none
    bool onto;         // C holds the sums over the rows of B before these
    index_t ldc;
};

// (Written out, or the sums would leave their registers to be walked over.)
#define GLASSBOX_WRITE_OUT _Pragma("GCC unroll 12")

// All of a tile. `onto`: C's own numbers are added, else the bias, 0 without one.
template <bool onto>
[[gnu::always_inline]] inline void store_whole(Wide (&sum)[down][2], const real* bias, real* c, index_t ldc) {
    Wide left = {}, right = {};
    if (!onto && bias) std::memcpy(&left, bias, sizeof left), std::memcpy(&right, bias + width, sizeof right);
    GLASSBOX_WRITE_OUT
    for (int r = 0; r < down; ++r) {
        real* const row = c + r * ldc;
        if (onto) std::memcpy(&left, row, sizeof left), std::memcpy(&right, row + width, sizeof right);
        sum[r][0] += left, sum[r][1] += right;
        std::memcpy(row, &sum[r][0], sizeof left), std::memcpy(row + width, &sum[r][1], sizeof right);
    }
}

// Its last rows and first columns alone, where the others are those of a neighbour, or beyond the edge.
[[gnu::always_inline]] inline void store_part(const Wide (&sum)[down][2], const Ending& ending, real* c,
                                              index_t first_row, index_t columns) {
    real each[down][across];
    GLASSBOX_WRITE_OUT
    for (int r = 0; r < down; ++r) {
        std::memcpy(each[r], &sum[r][0], sizeof(Wide));
        std::memcpy(each[r] + width, &sum[r][1], sizeof(Wide));
    }
    for (index_t r = first_row; r < down; ++r)
        for (index_t j = 0; j < columns; ++j) {
            real& to = c[r * ending.ldc + j];
            to = each[r][j] + (ending.onto ? to : ending.bias ? ending.bias[j] : 0);
        }
}

// For every l a column of A times a row of B. A's entry (r, l) lies at r · row + l · col.
template <index_t row, index_t col>
[[gnu::always_inline]] inline void tile(index_t k, const real* a, const real* b, const Ending& ending,
                                        real* c, index_t first_row, index_t columns) {
    Wide sum[down][2] = {};
    for (index_t l = 0; l < k; ++l, a += col, b += across) {
        Wide left, right;
        std::memcpy(&left, b, sizeof left), std::memcpy(&right, b + width, sizeof right);
        GLASSBOX_WRITE_OUT
        for (int r = 0; r < down; ++r) {
            const real of_a = a[r * row];
            sum[r][0] += of_a * left;
            sum[r][1] += of_a * right;
        }
    }
    if (ending.alpha != 1) {
        GLASSBOX_WRITE_OUT
        for (int r = 0; r < down; ++r) sum[r][0] *= ending.alpha, sum[r][1] *= ending.alpha;
    }
    if (first_row > 0 || columns < across) return store_part(sum, ending, c, first_row, columns);
    if (ending.onto) store_whole<true>(sum, nullptr, c, ending.ldc);
    else store_whole<false>(sum, ending.bias, c, ending.ldc);
}

// All rows of a panel. Those that do not fill the last tile are made up from the ones before.
template <index_t row, index_t col>
[[gnu::always_inline]] inline void tiles(index_t m, index_t k, const real* a, const real* panel,
                                         const Ending& ending, real* c, index_t columns) {
    for (index_t i = 0; i < m; i += down) {
        const index_t first = std::min(i, m - down);
        const real* const rows = col == 1 ? a + first * row : a + i * k;
        tile<row, col>(k, rows, panel, ending, c + first * ending.ldc, i - first, columns);
    }
}

// (A call each, so that the two kinds of A do not share the registers.)
GLASSBOX_CLONES void tiles_of_rows(index_t m, index_t k, const real* a, const real* panel,
                                   const Ending& ending, real* c, index_t columns) {
    tiles<row_step, 1>(m, k, a, panel, ending, c, columns);
}

GLASSBOX_CLONES void tiles_of_columns(index_t m, index_t k, const real* a, const real* panel,
                                      const Ending& ending, real* c, index_t columns) {
    tiles<1, down>(m, k, a, panel, ending, c, columns);
}

// A's rows `row_step` apart, where the numbers of a row are adjacent.
void lay_out_rows(Matrix a, index_t m, index_t k, real* to) {
    for (index_t i = 0; i < m; ++i) std::copy_n(a.data + i * a.row, k, to + i * row_step);
}

// The columns of a tile one after the other, tile by tile, where the numbers of a column are adjacent.
GLASSBOX_CLONES void lay_out_tiles(Matrix a, index_t m, index_t k, real* to) {
    constexpr index_t together =
        16;  // columns: what is read of a line of the cache is used while it is there
    for (index_t begin = 0; begin < k; begin += together)
        for (index_t i = 0; i < m; i += down) {
            const real* const from = a.data + std::min(i, m - down);
            for (index_t l = begin; l < std::min(begin + together, k); ++l)
                std::memcpy(to + i * k + l * down, from + l * a.col, down * sizeof(real));
        }
}

// `n` columns of B as rows of `across` numbers; what is beyond n is 0.
GLASSBOX_CLONES void lay_out_panel(Matrix b, index_t k, index_t n, real* to) {
    if (b.col != 1) return lay_out_columns(b, k, n, to, across);
    for (index_t l = 0; l < k; ++l, to += across) {
        if (n == across) std::memcpy(to, b.data + l * b.row, across * sizeof(real));
        else std::fill(std::copy_n(b.data + l * b.row, n, to), to + across, real(0));
    }
}

// Some rows of A times some rows of B.
void block_product(index_t m, index_t n, index_t k, const Ending& ending, Matrix a, Matrix b, real* room,
                   real* c) {
    real* const panel = room;
    real* const rows = room + depth * across;
    const bool by_rows = a.col == 1;
    if (by_rows) lay_out_rows(a, m, k, rows);
    else lay_out_tiles(a, m, k, rows);
    for (index_t j = 0; j < n; j += across) {
        const index_t columns = std::min(across, n - j);
        lay_out_panel({b.data + j * b.col, b.row, b.col}, k, columns, panel);
        Ending here = ending;
        if (here.bias) here.bias += j;
        (by_rows ? tiles_of_rows : tiles_of_columns)(m, k, rows, panel, here, c + j, columns);
    }
}

}  // namespace

void panel_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc) {
    const index_t blocks = (m + most_rows - 1) / most_rows;
    const index_t height = ((m + blocks - 1) / blocks + down - 1) / down * down;  // about the same for each
    const Scratch room(depth * across + (height + down) * row_step);
    for (index_t l = 0; l < k; l += depth)
        for (index_t i = 0; i < m;) {
            // A block of less than a tile would have no rows to make it up from.
            const index_t rows = m - i < height + down ? m - i : height;
            const Matrix some{a.data + i * a.row + l * a.col, a.row, a.col};
            const Matrix below{b.data + l * b.row, b.row, b.col};
            block_product(rows, n, std::min(depth, k - l), {alpha, bias, l > 0, ldc}, some, below,
                          room.data(), c + i * ldc);
            i += rows;
        }
}

bool suits_panel_product(index_t m, index_t n, index_t k) {
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return has_wide_registers() && m >= 64 && k >= 64 && (n % across == 0 || n >= 8 * across) &&
           work <= most_work;
}

}  // namespace glassbox
