#include <glassbox/backend/cpu/tiled_product.h>

namespace glassbox {

// By measurement (bench/kernels): packing pays from a million multiply-adds on if B is wide, from four
// million on if not.
void tiled_product(const TiledProduct& given) {
    TiledProduct p = given;
    if (p.k == 1) p.a.col = 1;  // the stride of an axis of length 1 is never used
    if (p.n == 1) p.b.col = 1;
    const index_t few = p.n <= 128 ? index_t{1} << 22 : index_t{1} << 20;
    if (p.m < 16 || p.m * p.n <= few / p.k) small_product(p);
    else panel_product(p);
}

}  // namespace glassbox
