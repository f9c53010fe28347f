#include <glassbox/backend/cpu/small_product.h>

#include <algorithm>
#include <cstring>

#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

// One vector register.
typedef real Wide __attribute__((vector_size(64)));
constexpr index_t width = 64 / sizeof(real);

// B as the kernel reads it: contiguous rows of at least `width` numbers; and the bias that initialises each
// row of C.
struct Panel {
    const real* data;
    index_t step;  // from row to row
    const real* bias;
};

// Stores the first `count` numbers to c. (Written to compile to one masked store.)
[[gnu::always_inline]] inline void store_first(const Wide& sum, real* c, index_t count) {
    real each[width];
    std::memcpy(each, &sum, sizeof sum);
    GLASSBOX_VECTOR_LOOP
    for (index_t j = 0; j < width; ++j)
        if (j < count) c[j] = each[j];
}

// R rows by W registers of C, which stay in registers during the sum of outer products: for each l, column l
// of A times row l of B.
template <int R, int W>
[[gnu::always_inline]] inline void tile(index_t k, real alpha, Matrix a, const Panel& b, real* c, index_t ldc,
                                        index_t count) {
    Wide sum[R][W] = {};
    for (int w = 0; b.bias && w < W; ++w)
        for (int r = 0; r < R; ++r) std::memcpy(&sum[r][w], b.bias + w * width, sizeof(Wide));
    for (index_t l = 0; l < k; ++l) {
        Wide row[W];
        for (int w = 0; w < W; ++w) std::memcpy(&row[w], b.data + l * b.step + w * width, sizeof(Wide));
        for (int r = 0; r < R; ++r)
            for (int w = 0; w < W; ++w) sum[r][w] += a.data[r * a.row + l * a.col] * row[w];
    }
    for (int r = 0; r < R; ++r)
        for (int w = 0; w < W; ++w) {
            if (alpha != 1) sum[r][w] *= alpha;
            if (count == W * width) std::memcpy(c + r * ldc + w * width, &sum[r][w], sizeof(Wide));
            else store_first(sum[r][w], c + r * ldc, count);
        }
}

// All rows of some columns. The last tile is moved up to be complete: the rows in which it overlaps the one
// before are computed twice, with the same result.
template <int W>
[[gnu::always_inline]] inline void columns(index_t m, index_t k, real alpha, Matrix a, const Panel& b,
                                           real* c, index_t ldc, index_t count) {
    const auto rows_from = [&](index_t i) { return Matrix{a.data + i * a.row, a.row, a.col}; };
    if (m >= 8)
        for (index_t i = 0; i < m; i += 8) {
            const index_t first = std::min(i, m - 8);
            tile<8, W>(k, alpha, rows_from(first), b, c + first * ldc, ldc, count);
        }
    else
        for (index_t i = 0; i < m; ++i) tile<1, W>(k, alpha, rows_from(i), b, c + i * ldc, ldc, count);
}

GLASSBOX_CLONES void all_columns(index_t m, index_t n, index_t k, real alpha, Matrix a, const Panel& b,
                                 real* c, index_t ldc) {
    const auto from = [&](index_t j) { return Panel{b.data + j, b.step, b.bias ? b.bias + j : nullptr}; };
    index_t j = 0;
    for (; j + 2 * width <= n; j += 2 * width) columns<2>(m, k, alpha, a, from(j), c + j, ldc, 2 * width);
    for (; j < n; j += width) {  // the last register may overlap the one before in the same way
        const index_t first = std::max<index_t>(std::min(j, n - width), 0);
        columns<1>(m, k, alpha, a, from(first), c + first, ldc, std::min(n, width));
    }
}

// Interleaves a and b: first their lower halves, then their upper halves.
[[gnu::always_inline]] inline void zip(const Lanes& a, const Lanes& b, Lanes* both) {
    both[0] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    both[1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// Transposes a 16 × 16 square in place: rows i and i + 8 interleaved give rows 2i and 2i + 1. Each pass
// rotates the 4 + 4 bits of an entry's (row, column) index by one; after four passes row and column are
// exchanged.
[[gnu::always_inline]] inline void transpose_square(Lanes (&square)[lanes]) {
    Lanes half_done[lanes];
    for (int pass = 0; pass < 2; ++pass) {
        for (index_t i = 0; i < lanes / 2; ++i) zip(square[i], square[i + lanes / 2], half_done + 2 * i);
        for (index_t i = 0; i < lanes / 2; ++i) zip(half_done[i], half_done[i + lanes / 2], square + 2 * i);
    }
}

GLASSBOX_CLONES void columns_to_rows(Matrix b, index_t k, index_t n, real* to, index_t step) {
    for (index_t j = 0; j < step; j += lanes)
        for (index_t l = 0; l < k; l += lanes) {
            const index_t rows = std::min(lanes, k - l), cols = std::min(lanes, n - j);
            Lanes square[lanes];
            for (index_t i = 0; i < lanes; ++i)
                if (i < cols) load(square[i], b.data + l + (j + i) * b.col, rows);
                else square[i] = Lanes{};
            transpose_square(square);
            for (index_t i = 0; i < lanes; ++i)
                if (i < rows) store(square[i], to + (l + i) * step + j, std::min(lanes, step - j));
        }
}

// Packs contiguous rows shorter than a register.
GLASSBOX_CLONES void pack_rows(Matrix b, index_t k, index_t n, real* to, index_t step) {
    for (index_t l = 0; l < k; ++l) {
        Lanes row;
        load(row, b.data + l * b.row, n);
        store(row, to + l * step, step);
    }
}

}  // namespace

// The tiles above need the 32 registers of AVX-512; with fewer, or in a build without clones, BLAS is faster.
bool has_wide_registers() {
#if defined(GLASSBOX_HAS_CLONES)
    static const bool has = __builtin_cpu_supports("avx512f");
    return has;
#else
    return false;
#endif
}

void pack_columns(Matrix b, index_t k, index_t n, real* to, index_t step) {
    columns_to_rows(b, k, n, to, step);
}

bool suits_small_product(index_t m, index_t n, index_t k, Matrix b) {
    // A transposed B has to be packed, which takes enough rows of A to amortise.
    return has_wide_registers() && m * n <= (index_t{1} << 22) / std::max<index_t>(k, 1) &&
           (b.col == 1 || m >= 16);
}

void small_product(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, const real* bias, real* c,
                   index_t ldc) {
    if (m == 0 || n == 0) return;
    if (b.col == 1 && n >= width) return all_columns(m, n, k, alpha, a, {b.data, b.row, bias}, c, ldc);
    const index_t step = std::max(n, width);
    const Scratch buffer(k * step);
    if (b.col == 1 || n == 1) pack_rows(b, k, n, buffer.data(), step);
    else pack_columns(b, k, n, buffer.data(), step);
    real padded_bias[width] = {};
    if (bias && n < width) bias = std::copy(bias, bias + n, padded_bias) - n;
    all_columns(m, n, k, alpha, a, {buffer.data(), step, bias}, c, ldc);
}

}  // namespace glassbox
