#include <glassbox/backend/cuda/attention_tiles.h>

namespace glassbox {

namespace {

__global__ void finite_kernel(Strided<1> heads, Rows first, index_t units, index_t tiles,
                              unsigned char* flags) {
    for (index_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        Rows x = first;
        x.data += heads.at(unit / tiles).of[0];
        const bool finite = block_all(has_finite_share(x, unit % tiles * tile_side));
        if (threadIdx.x == 0) flags[unit] = finite;
    }
}

}  // namespace

void find_finite_tiles(const Op& op, const ConstView& x, unsigned char* flags) {
    const Shape leading = x.shape.leading(x.shape.rank() - 2);
    const index_t tiles = tiles_in(x.shape[-2]), units = leading.numel() * tiles;
    launch(op, tile_blocks(units), finite_kernel, strided<1>(leading, {&x.strides}), rows_of(x), units, tiles,
           flags);
}

}  // namespace glassbox
