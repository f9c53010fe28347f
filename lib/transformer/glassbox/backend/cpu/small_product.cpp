#include <glassbox/backend/cpu/tiled_product.h>

#include <algorithm>
#include <type_traits>

#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/product_tile.h>
#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr index_t max_width = 64 / sizeof(real);  // of any vector register
constexpr index_t max_packed = 64;                // columns of B at a time

// All rows of some columns of C, against rows of B where they are. Tiles of `down` rows would overlap where
// these do not divide m; tiles of a few rows less are as fast for their size, so 8 rows are 4 + 4, not 6 + 6
// with 4 computed twice.
template <class Set, int W>
[[GLASSBOX_INLINED]] inline void columns(index_t m, index_t k, Matrix a, const real* b, index_t step,
                                         const TileEpilogue& to, real* c, const TilePart& part) {
    constexpr int down = Set::down < 8 ? Set::down : 8;
    index_t i = 0;
    const auto next = [&]<int R>(std::integral_constant<int, R>, index_t rows) {
        const auto rows_of = [&](index_t, index_t first) {
            return Matrix{a.data + (i + first) * a.row, a.row, a.col};
        };
        tiles<Set, R, W>(rows, k, rows_of, b, step, to, c + i * to.ldc, part);
        i += rows;
    };
    if constexpr (down == 6) {
        const index_t rest = m % 6, last = rest == 0 || m < 6 ? 0 : rest < 4 ? rest + 6 : rest;
        if (m - last >= 6) next(std::integral_constant<int, 6>(), m - last);
        if (last == 5 || last == 9) next(std::integral_constant<int, 5>(), 5);
    } else if (m >= down) {
        return next(std::integral_constant<int, down>(), m);
    }
    if (m - i >= 4) next(std::integral_constant<int, 4>(), m - i);
    else if (m - i >= 2) next(std::integral_constant<int, 2>(), m - i);
    else if (m > i) next(std::integral_constant<int, 1>(), 1);
}

[[GLASSBOX_INLINED]] inline TileEpilogue from_column(const TileEpilogue& to, index_t j) {
    return {to.alpha, to.bias ? to.bias + j : nullptr, to.onto, to.ldc};
}

// The rows of B have at least one register of numbers, of which `n` count: those up to `readable` may be
// anything.
constexpr Kernel all_columns = []<class Set>(Set, index_t m, index_t n, index_t readable, index_t k, Matrix a,
                                             const real* b, index_t step, TileEpilogue to, real* c) {
    constexpr index_t one = width<Set>, across = Set::across * one;
    index_t j = 0;
    for (; j < n && (j + across <= n || (j + one < n && j + across <= readable)); j += across)
        columns<Set, Set::across>(m, k, a, b + j, step, from_column(to, j), c + j,
                                  {0, 0, std::min(across, n - j)});
    for (; j < n; j += one) {  // the last register may overlap the one before
        const index_t first = j + one <= n || n < one ? j : n - one;
        columns<Set, 1>(m, k, a, b + first, step, from_column(to, first), c + first,
                        {0, j - first, n < one ? n : one});
    }
};

}  // namespace

void small_product(const TiledProduct& p) {
    const bool in_place = p.b.col == 1 && p.n >= max_width;
    const index_t wide = in_place ? p.n : std::min(p.n, max_packed),
                  step = in_place ? p.b.row : std::max(wide, max_width);
    const Scratch packed(in_place ? 0 : std::min(p.k, depth) * step);
    real padded_bias[max_width] = {};
    const real* bias = p.bias;
    if (bias && p.n < max_width) bias = std::copy(bias, bias + p.n, padded_bias) - p.n;
    for (index_t j = 0; j < p.n; j += wide)
        for (index_t l = 0; l < p.k; l += depth) {
            const index_t terms = std::min(depth, p.k - l), columns = std::min(wide, p.n - j);
            const Matrix rows{p.b.data + l * p.b.row + j * p.b.col, p.b.row, p.b.col};
            if (!in_place) pack(rows, terms, columns, packed.data(), step);
            const TileEpilogue to{p.alpha, bias ? bias + j : nullptr, p.onto || l > 0, p.ldc};
            all_columns(p.m, columns, in_place ? columns : step, terms,
                        Matrix{p.a.data + l * p.a.col, p.a.row, p.a.col},
                        in_place ? rows.data : packed.data(), step, to, p.c + j);
        }
}

}  // namespace glassbox
