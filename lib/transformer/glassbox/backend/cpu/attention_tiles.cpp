#include <glassbox/backend/cpu/attention_tiles.h>

#include <algorithm>

#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr Kernel is_finite_run = []<class Set>(Set, const real* x, index_t n) -> bool {
    return all_finite<Set>(x, n);
};

// The number of keys with a position below the length; 0 for NaN.
index_t keys_below(real length, index_t keys) {
    if (!(length > 0)) return 0;
    return length >= static_cast<real>(keys) ? keys : static_cast<index_t>(std::ceil(length));
}

}  // namespace

index_t offset_of_head(const ConstView& x, int inner, index_t n) {
    index_t offset = 0;
    for (int axis = x.shape.rank() - inner - 1; axis >= 0; --axis) {
        offset += n % x.shape[axis] * x.strides[static_cast<std::size_t>(axis)];
        n /= x.shape[axis];
    }
    return offset;
}

RowTiles::RowTiles(const ConstView& x, index_t tile_rows)
    : x_(x),
      cols_(x.shape[-1]),
      layout_{x.data, x.strides[static_cast<std::size_t>(x.shape.rank() - 2)],
              x.strides[static_cast<std::size_t>(x.shape.rank() - 1)]},
      copy_(is_blas_ready(layout_, std::min(tile_rows, x.shape[-2]), cols_) ? 0 : tile_rows * cols_) {}

Matrix RowTiles::rows(index_t begin, index_t rows) const {
    const Matrix source{head_ + begin * layout_.row, layout_.row, layout_.col};
    if (!copy_.data()) return source;
    real* to = copy_.data();
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < cols_; ++j) *to++ = source.data[i * source.row + j * source.col];
    return {copy_.data(), cols_, 1};
}

bool is_finite(Matrix a, index_t rows, index_t cols) {
    if (a.col != 1 && cols > 1) return is_finite(transposed(a), cols, rows);
    for (index_t i = 0; i < rows; ++i)
        if (!is_finite_run(a.data + i * a.row, cols)) return false;
    return true;
}

HeadMask::HeadMask(const ConstView& q, index_t keys, const AttentionParams& params)
    : causal_(params.causal), keys_(keys), length_(keys) {
    const Shape leading = q.shape.leading(q.shape.rank() - 2);
    if (params.lengths.data) lengths_ = params.lengths.broadcast_to(leading);
    if (params.visible.data)
        visible_ = params.visible.broadcast_to(leading.with_appended(q.shape[-2]).with_appended(keys));
}

void HeadMask::select_head(index_t n) {
    if (lengths_.data) length_ = keys_below(lengths_.data[offset_of_head(lengths_, 0, n)], keys_);
    if (visible_.data) visible_head_ = visible_.data + offset_of_head(visible_, 2, n);
}

void HeadMask::hide(real* entries, const Tile& tile, real value) const {
    const bool has_hidden = tile.key + tile.keys > seen(tile.row);
    if (!has_hidden && !visible_head_) return;
    for (index_t i = 0; i < tile.rows; ++i, entries += tile.keys) {
        const index_t first_hidden = std::clamp<index_t>(seen(tile.row + i) - tile.key, 0, tile.keys);
        std::fill(entries + first_hidden, entries + tile.keys, value);
        if (!visible_head_) continue;
        const std::size_t rank = static_cast<std::size_t>(visible_.shape.rank());
        const index_t row_step = visible_.strides[rank - 2], key_step = visible_.strides[rank - 1];
        const real* visible = visible_head_ + (tile.row + i) * row_step + tile.key * key_step;
        for (index_t j = 0; j < first_hidden; ++j)
            entries[j] = visible[j * key_step] == 0 ? value : entries[j];
    }
}

// 256 × 512 scores are 512 kB: they stay in a core's L2 cache between their two products, which are large
// enough for BLAS to run efficiently. The backward pass holds two such tiles and so halves their rows.
Tiling::Tiling(index_t heads, index_t n_q, index_t n_k, index_t max_rows) : rows(max_rows), keys(512) {
    while (rows > 32 && heads * ((n_q + rows - 1) / rows) < 16) rows /= 2;  // enough tiles for the threads
    rows = std::clamp<index_t>(n_q, 1, rows);
    keys = std::clamp<index_t>(n_k, 1, keys);
    row_tiles = (n_q + rows - 1) / rows;
    key_tiles = (n_k + keys - 1) / keys;
}

Tile Tiling::tile(index_t row_tile, index_t key_tile, index_t n_q, index_t n_k) const {
    const index_t row = row_tile * rows, key = key_tile * keys;
    return {row, std::min(rows, n_q - row), key, std::min(keys, n_k - key)};
}

index_t units_per_chunk(double multiply_adds) {
    return std::max<index_t>(1, static_cast<index_t>(sizes().worth_a_thread / std::max(multiply_adds, 1.0)));
}

}  // namespace glassbox
