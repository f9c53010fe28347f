#include <glassbox/backend/cpu/tiled_product.h>

#include <algorithm>

#include <glassbox/backend/cpu/pack.h>
#include <glassbox/backend/cpu/product_tile.h>
#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/tensor/detail/kernel.h>

namespace glassbox {
namespace {

constexpr index_t max_width = 64 / sizeof(real);  // of any vector register
constexpr index_t max_packed = 64;                // columns of B at a time

// All rows of some columns of C, against rows of B where they are.
template <class Set, int W>
[[gnu::always_inline]] inline void columns(index_t m, index_t k, Matrix a, const real* b, index_t step,
                                           const TileEpilogue& to, real* c, const TilePart& part) {
    constexpr int down = Set::down < 8 ? Set::down : 8;
    const auto rows_of = [&](index_t, index_t i) { return Matrix{a.data + i * a.row, a.row, a.col}; };
    if (m >= down) tiles<Set, down, W>(m, k, rows_of, b, step, to, c, part);
    else if (m >= 4) tiles<Set, 4, W>(m, k, rows_of, b, step, to, c, part);
    else if (m >= 2) tiles<Set, 2, W>(m, k, rows_of, b, step, to, c, part);
    else tiles<Set, 1, W>(m, k, rows_of, b, step, to, c, part);
}

// The rows of B have at least one register of numbers.
constexpr Kernel all_columns = []<class Set>(Set, index_t m, index_t n, index_t k, Matrix a, const real* b,
                                             index_t step, TileEpilogue to, real* c) {
    constexpr index_t one = width<Set>, across = Set::across * one;
    const auto from = [&](index_t j) {
        return TileEpilogue{to.alpha, to.bias ? to.bias + j : nullptr, to.onto, to.ldc};
    };
    index_t j = 0;
    for (; j + across <= n; j += across)
        columns<Set, Set::across>(m, k, a, b + j, step, from(j), c + j, {0, 0, across});
    for (; j < n; j += one) {  // the last register may overlap the one before
        const index_t first = j + one <= n || n < one ? j : n - one;
        columns<Set, 1>(m, k, a, b + first, step, from(first), c + first, {0, j - first, n < one ? n : one});
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
            all_columns(p.m, columns, terms, Matrix{p.a.data + l * p.a.col, p.a.row, p.a.col},
                        in_place ? rows.data : packed.data(), step, to, p.c + j);
        }
}

}  // namespace glassbox
