#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/backend/cpu/attention_tiles.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/softmax_row.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/detail/clones.h>

// values = softmax(Q Kᵀ · scale, hidden keys filled) V without the n_q × n_k matrix: tiles of it are made,
// used and forgotten. For a row of scores, cut at the tiles into S¹, S², …, three things are kept of the
// tiles so far: the largest score m, l = Σ exp(S − m), and O = Σ exp(S − m) V. The next tile S makes of them
//     m' = max(m, max S)                 P = exp(S − m')
//     l' = l · exp(m − m') + Σ P
//     O' = O · exp(m − m') + P V
// and O / l after the last one is the row of values (online softmax: Milakov & Gimelshein 2018,
// arXiv:1805.02867; tiles of queries and keys: Dao et al. 2022, arXiv:2205.14135, algorithm 1).
namespace glassbox {

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

// What online softmax keeps of each row of a tile of queries.
struct Rows {
    real* m;       // the largest score so far
    real* l;       // Σ exp(S − m)
    real* shrink;  // exp(m − m'), what the last tile made of a weight of 1
};

// Turns a tile of scores S (rows × keys) into weights P = exp(S − m').
GLASSBOX_CLONES void absorb(real* S, index_t rows, index_t keys, const Rows& state) {
    for (index_t i = 0; i < rows; ++i, S += keys) {
        const real m = std::max(state.m[i], largest(S, keys));
        const real base = m == -infinity ? 0 : m;  // all −∞ until now: weights 0, not exp(−∞ + ∞) = NaN
        for (index_t j = 0; j < keys; ++j) S[j] = fast_exp_below_88(S[j] - base);
        state.shrink[i] = fast_exp(state.m[i] - base);
        state.l[i] = state.l[i] * state.shrink[i] + lane_sum(S, keys);
        state.m[i] = m;
    }
}

// Where all keys are in one tile: S becomes P = softmax(S), and L = ln Σ exp S.
GLASSBOX_CLONES void weigh(real* S, index_t rows, index_t keys, real* L) {
    for (index_t i = 0; i < rows; ++i, S += keys) {
        const auto [m, s] = softmax_row(S, S, keys);
        L[i] = m + (s >= 1 ? fast_log_from_1(s) : std::log(s));
    }
}

GLASSBOX_CLONES void scale_rows(real* O, index_t step, index_t rows, index_t cols, const real* factor) {
    for (index_t i = 0; i < rows; ++i, O += step)
        for (index_t j = 0; j < cols; ++j) O[j] *= factor[i];
}

// Whether a key with the score `fill` weighs exactly 0 in every one of the rows.
bool weighs_nothing(real fill, const real* m, index_t rows) {
    if (fill == -infinity) return true;
    for (index_t i = 0; i < rows; ++i)
        if (fast_exp(fill - m[i]) != 0) return false;
    return true;
}

// One thread's view of the whole task, for some tiles of queries.
struct Attention {
    const AttentionParams& params;
    Tiling tiling;
    index_t n_q, n_k, d_k, d_v;
    RowTiles Q, K, V;
    HeadMask mask;
    Scratch scores, state;

    Attention(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionParams& p,
              const Tiling& t)
        : params(p),
          tiling(t),
          n_q(q.shape[-2]),
          n_k(k.shape[-2]),
          d_k(q.shape[-1]),
          d_v(v.shape[-1]),
          Q(q, t.rows),
          K(k, t.keys),
          V(v, t.keys),
          mask(q, n_k, p),
          scores(t.rows * t.keys),
          state(3 * t.rows) {}

    void select_head(index_t n) {
        Q.select_head(n), K.select_head(n), V.select_head(n);
        mask.select_head(n);
    }

    // The same where all keys are in one tile: nothing is to be put together afterwards.
    void attend_at_once(index_t row_tile, real* O, index_t step, real* L) {
        const Tile tile = tiling.tile(row_tile, 0, n_q, n_k);
        real* S = scores.data();
        const Matrix q = Q.rows(tile.row, tile.rows), k_t = transposed(K.rows(0, n_k));
        gemm(tile.rows, n_k, d_k, params.scale, q, k_t, 0, S, n_k);             // (rows, keys)
        mask.hide(S, tile, params.fill);                                        // (rows, keys)
        weigh(S, tile.rows, n_k, L);                                            // S becomes P
        gemm(tile.rows, d_v, n_k, 1, {S, n_k, 1}, V.rows(0, n_k), 0, O, step);  // (rows, d_v)
    }

    // O (rows, d_v), its rows `step` apart, and L (rows) of one tile of queries.
    void attend(index_t row_tile, real* O, index_t step, real* L) {
        const Rows kept{state.data(), state.data() + tiling.rows, state.data() + 2 * tiling.rows};
        const Tile first = tiling.tile(row_tile, 0, n_q, n_k);
        const index_t rows = first.rows;
        const Matrix q = Q.rows(first.row, rows);
        std::fill(kept.m, kept.m + rows, -infinity);
        std::fill(kept.l, kept.l + rows, real(0));
        for (index_t i = 0; i < rows; ++i) std::fill(O + i * step, O + i * step + d_v, real(0));
        for (index_t t = 0; t < tiling.key_tiles; ++t) {
            const Tile tile = tiling.tile(row_tile, t, n_q, n_k);
            const Matrix v = V.rows(tile.key, tile.keys);
            // 0 · V is nothing to add, unless there is NaN or ∞ in V.
            if (mask.hides_all(tile) && weighs_nothing(params.fill, kept.m, rows) &&
                is_finite(v, tile.keys, d_v))
                continue;
            real* S = scores.data();
            const Matrix k_t = transposed(K.rows(tile.key, tile.keys));
            gemm(rows, tile.keys, d_k, params.scale, q, k_t, 0, S, tile.keys);  // (rows, keys)
            mask.hide(S, tile, params.fill);                                    // (rows, keys)
            absorb(S, rows, tile.keys, kept);                                   // S becomes P
            scale_rows(O, step, rows, d_v, kept.shrink);                        // (rows, d_v)
            gemm(rows, d_v, tile.keys, 1, {S, tile.keys, 1}, v, 1, O, step);    // (rows, d_v)
        }
        for (index_t i = 0; i < rows; ++i) {
            kept.shrink[i] = n_k > 0 ? 1 / kept.l[i] : 0;  // an empty sum of values is 0
            L[i] = kept.m[i] + std::log(kept.l[i]);
        }
        scale_rows(O, step, rows, d_v, kept.shrink);
    }
};

}  // namespace

void CpuBackend::attention(const ConstView& q, const ConstView& k, const ConstView& v,
                           const AttentionParams& params, const View& values, const View& logsumexp) {
    const index_t n_q = q.shape[-2], n_k = k.shape[-2], d_k = q.shape[-1], d_v = v.shape[-1];
    const index_t heads = q.shape.leading(q.shape.rank() - 2).numel();
    if (heads == 0 || n_q == 0) return;
    const index_t step = values.strides[static_cast<std::size_t>(values.shape.rank() - 2)];
    const Tiling tiling(heads, n_q, n_k, 256);
    const double work =
        static_cast<double>(tiling.rows) * static_cast<double>(n_k) * static_cast<double>(d_k + d_v);
    parallel_for(heads * tiling.row_tiles, units_a_piece(work), [&](index_t begin, index_t end) {
        Attention task(q, k, v, params, tiling);
        for (index_t unit = begin; unit < end; ++unit) {
            const index_t head = unit / tiling.row_tiles, row_tile = unit % tiling.row_tiles;
            const index_t row = row_tile * tiling.rows;
            task.select_head(head);
            real* O = values.data + offset_of_head(values, 2, head) + row * step;
            real* L = logsumexp.data + head * n_q + row;
            if (tiling.key_tiles == 1 && n_k > 0) task.attend_at_once(row_tile, O, step, L);
            else task.attend(row_tile, O, step, L);
        }
    });
}

}  // namespace glassbox
