#include <glassbox/backend/cpu/tiled_product.h>

#include <algorithm>
#include <cstring>

#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/product_tile.h>
#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

// Of C, what the tiles of one panel of B make, and of A, what is packed for them.
template <class Set>
struct PanelSizes {
    static constexpr index_t down = Set::down, across = Set::across * width<Set>;
    static constexpr index_t max_rows = (Set::bytes == 64 ? 480 : 240) / down * down;  // half of an L2 cache
};

// Padded, so that consecutive rows of A start in different cache sets: a power of two would map all to one.
constexpr index_t row_step = depth + 16;

// (Separate functions, so that the two layouts of A do not compete for registers.)
constexpr Kernel tiles_of_rows = []<class Set>(Set, index_t m, index_t k, const real* a, const real* panel,
                                               TileEpilogue to, real* c, index_t columns) {
    const auto rows_of = [&](index_t, index_t first) { return Matrix{a + first * row_step, row_step, 1}; };
    tiles<Set, Set::down, Set::across>(m, k, rows_of, panel, PanelSizes<Set>::across, to, c, {0, 0, columns});
};

constexpr Kernel tiles_of_columns = []<class Set>(Set, index_t m, index_t k, const real* a, const real* panel,
                                                  TileEpilogue to, real* c, index_t columns) {
    const auto rows_of = [&](index_t i, index_t) { return Matrix{a + i * k, 1, Set::down}; };
    tiles<Set, Set::down, Set::across>(m, k, rows_of, panel, PanelSizes<Set>::across, to, c, {0, 0, columns});
};

// Packs A with contiguous rows: its rows, `row_step` apart.
void pack_rows(Matrix a, index_t m, index_t k, real* to) {
    for (index_t i = 0; i < m; ++i) std::copy_n(a.data + i * a.row, k, to + i * row_step);
}

// Packs A with contiguous columns: tile by tile, the columns of a tile one after the other.
constexpr Kernel pack_tiles = []<class Set>(Set, Matrix a, index_t m, index_t k, real* to) {
    constexpr index_t down = Set::down;
    constexpr index_t block = 16;  // columns at a time, so that the next tile finds A's lines in the cache
    for (index_t begin = 0; begin < k; begin += block)
        for (index_t i = 0; i < m; i += down) {
            const real* const from = a.data + std::min(i, m - down);
            for (index_t l = begin; l < std::min(begin + block, k); ++l)
                std::memcpy(to + i * k + l * down, from + l * a.col, down * sizeof(real));
        }
};

// As many columns of B are packed at a time, panel by panel, and used by all rows of A: a megabyte, for the
// L3 cache.
constexpr index_t max_columns = 1024;

// Rows are read whole: one panel after the other would touch a page for each.
constexpr Kernel pack_panels = []<class Set>(Set, Matrix b, index_t k, index_t n, real* to) {
    constexpr index_t across = PanelSizes<Set>::across;
    if (b.col != 1)
        for (index_t j = 0; j < n; j += across)
            pack({b.data + j * b.col, b.row, b.col}, k, std::min(across, n - j), to + j * k, across);
    else
        for (index_t l = 0; l < k; ++l) {
            const real* const row = b.data + l * b.row;
            index_t j = 0;
            for (; j + across <= n; j += across)
                std::memcpy(to + j * k + l * across, row + j, across * sizeof(real));
            if (j < n)
                std::fill(std::copy(row + j, row + n, to + j * k + l * across), to + j * k + (l + 1) * across,
                          real(0));
        }
};

// Goto & van de Geijn 2008: a block of A stays in L2, a panel of B in L1, a tile of C in registers.
constexpr Kernel block_products = []<class Set>(Set, const TiledProduct& p) {
    using Sizes = PanelSizes<Set>;
    constexpr index_t down = Sizes::down, across = Sizes::across;
    static_assert(max_columns % across == 0);  // whole panels
    const index_t blocks = (p.m + Sizes::max_rows - 1) / Sizes::max_rows;
    const index_t height = ((p.m + blocks - 1) / blocks + down - 1) / down * down;  // of similar size
    const index_t wide = std::min(max_columns, (p.n + across - 1) / across * across);
    const Scratch panels(std::min(p.k, depth) * wide), rows_of_a((height + down) * row_step);
    for (index_t first = 0; first < p.n; first += wide)
        for (index_t l = 0; l < p.k; l += depth) {
            const index_t terms = std::min(depth, p.k - l), columns = std::min(wide, p.n - first);
            const Matrix b{p.b.data + l * p.b.row + first * p.b.col, p.b.row, p.b.col};
            pack_panels(b, terms, columns, panels.data());
            for (index_t i = 0; i < p.m;) {
                // A block needs at least one tile's rows, so the last one takes the remainder.
                const index_t rows = p.m - i < height + down ? p.m - i : height;
                const Matrix a{p.a.data + i * p.a.row + l * p.a.col, p.a.row, p.a.col};
                if (a.col == 1) pack_rows(a, rows, terms, rows_of_a.data());
                else pack_tiles(a, rows, terms, rows_of_a.data());
                for (index_t j = 0; j < columns; j += across) {
                    const TileEpilogue to{p.alpha, p.bias ? p.bias + first + j : nullptr, p.onto || l > 0,
                                          p.ldc};
                    const real* const panel = panels.data() + j * terms;
                    real* const c = p.c + i * p.ldc + first + j;
                    const index_t n = std::min(across, columns - j);
                    if (a.col == 1) tiles_of_rows(rows, terms, rows_of_a.data(), panel, to, c, n);
                    else tiles_of_columns(rows, terms, rows_of_a.data(), panel, to, c, n);
                }
                i += rows;
            }
        }
};

}  // namespace

void panel_product(const TiledProduct& p) { block_products(p); }

}  // namespace glassbox
