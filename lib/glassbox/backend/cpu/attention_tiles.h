#pragma once
#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/scratch.h>

// What both ways of fused attention are made of: pieces of matrices, their masks, and the memory for one
// tile.
namespace glassbox {

// Where, in a view whose last `inner` axes are the matrix of one head, the matrix of the n-th head begins.
index_t offset_of_head(const ConstView& x, int inner, index_t n);

// A matrix of a batch of heads, read some rows at a time.
class RowTiles {
  public:
    RowTiles(const ConstView& x, index_t tile_rows);
    void select_head(index_t n) { head_ = x_.data + offset_of_head(x_, 2, n); }
    // Rows [begin, begin + rows) as BLAS can walk them; where it cannot, they are copied to room that the
    // next call overwrites.
    Matrix rows(index_t begin, index_t rows) const;

  private:
    ConstView x_;
    index_t cols_;
    const real* head_ = nullptr;
    Matrix whole_;  // strides of a head's matrix
    Scratch copy_;  // empty unless needed
};

inline Matrix transposed(Matrix a) { return {a.data, a.col, a.row}; }
bool is_finite(Matrix a, index_t rows, index_t cols);  // neither NaN nor ∞ in it

// A rectangle of the scores: which queries and which keys.
struct Tile {
    index_t row, rows, key, keys;
};

// Which keys are hidden from which queries, for one head at a time.
class HeadMask {
  public:
    HeadMask(const ConstView& q, index_t keys, const AttentionParams& params);
    void select_head(index_t n);

    bool hides_all(const Tile& tile) const { return tile.key >= seen(tile.row + tile.rows - 1); }
    // Writes `value` over the entries of a tile (rows × keys, gapless) whose keys are hidden.
    void hide(real* entries, const Tile& tile, real value) const;

  private:
    // Causal and length masks leave the first keys of a row to see: how many.
    index_t seen(index_t row) const { return causal_ && row < length_ ? row + 1 : length_; }

    bool causal_;
    index_t keys_, length_;
    ConstView lengths_, visible_;
    const real* visible_head_ = nullptr;
};

// The extent of tiles depends on the shapes alone, so that the bits of the result do too.
struct Tiling {
    index_t rows, keys;            // of one tile
    index_t row_tiles, key_tiles;  // of one head
    Tiling(index_t heads, index_t n_q, index_t n_k, index_t most_rows);
    Tile tile(index_t row_tile, index_t key_tile, index_t n_q, index_t n_k) const;
};

// How many units of work, each of `multiply_adds`, are worth handing to a thread at once.
index_t units_a_piece(double multiply_adds);

}  // namespace glassbox
