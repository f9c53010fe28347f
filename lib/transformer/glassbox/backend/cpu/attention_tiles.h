#pragma once
#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/scratch.h>

// The building blocks of fused attention, forward and backward: tiles of matrices and their masks.
namespace glassbox {

// The offset of the n-th head in a view with the last `inner` axes as each head's matrix.
index_t offset_of_head(const ConstView& x, int inner, index_t n);

// The matrix of one head at a time, read in tiles of rows.
class RowTiles {
  public:
    RowTiles(const ConstView& x, index_t tile_rows);
    void select_head(index_t n) { head_ = x_.data + offset_of_head(x_, 2, n); }
    // Rows [begin, begin + rows) with strides that BLAS accepts: in place, or copied to a buffer that the
    // next call overwrites.
    Matrix rows(index_t begin, index_t rows) const;

  private:
    ConstView x_;
    index_t cols_;
    const real* head_ = nullptr;
    Matrix layout_;  // the strides of a head's matrix
    Scratch copy_;   // empty unless needed
};

inline Matrix transposed(Matrix a) { return {a.data, a.col, a.row}; }
bool is_finite(Matrix a, index_t rows, index_t cols);  // contains neither NaN nor ∞

// A rectangle of the scores: a range of queries and a range of keys.
struct Tile {
    index_t row, rows, key, keys;
};

// Which keys are hidden from which queries, for one head at a time.
class HeadMask {
  public:
    HeadMask(const ConstView& q, index_t keys, const AttentionParams& params);
    void select_head(index_t n);

    bool hides_all(const Tile& tile) const { return tile.key >= seen(tile.row + tile.rows - 1); }
    // Writes `value` to the entries of a tile (rows × keys, contiguous) with hidden keys.
    void hide(real* entries, const Tile& tile, real value) const;

  private:
    // The number of leading keys that the causal and length masks leave visible to a row.
    index_t seen(index_t row) const { return causal_ && row < length_ ? row + 1 : length_; }

    bool causal_;
    index_t keys_, length_;
    ConstView lengths_, visible_;
    const real* visible_head_ = nullptr;
};

// Tile sizes depend only on the shapes, so that results are the same on any number of threads.
struct Tiling {
    index_t rows, keys;            // of one tile
    index_t row_tiles, key_tiles;  // of one head
    Tiling(index_t heads, index_t n_q, index_t n_k, index_t max_rows);
    Tile tile(index_t row_tile, index_t key_tile, index_t n_q, index_t n_k) const;
};

// How many units, each of `multiply_adds`, make a chunk of work that is worth a thread.
index_t units_per_chunk(double multiply_adds);

}  // namespace glassbox
