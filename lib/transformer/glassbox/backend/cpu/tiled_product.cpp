#include <glassbox/backend/cpu/tiled_product.h>

#include <glassbox/backend/cpu/product.h>

namespace glassbox {

namespace {

// Lines that are a multiple of 4 kB apart share a few sets of the first cache.
bool share_sets(index_t step) { return step * static_cast<index_t>(sizeof(real)) % 4096 == 0; }

bool is_better_packed(const TiledProduct& p) {
    const Sizes& max = sizes();
    if (p.m < 16) return false;
    if (p.a.col != 1 && (p.m * p.k > max.max_a_in_columns || (p.m > 16 && share_sets(p.a.col)))) return true;
    if (p.b.col == 1) return p.k * p.n > max.max_b_in_place || (p.n > 128 && share_sets(p.b.row));
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) > max.max_in_strips;
}

}  // namespace

void tiled_product(const TiledProduct& given) {
    TiledProduct p = given;
    if (p.k == 1) p.a.col = 1;  // the stride of an axis of length 1 is never used
    if (p.n == 1) p.b.col = 1;
    if (is_better_packed(p)) panel_product(p);
    else small_product(p);
}

}  // namespace glassbox
