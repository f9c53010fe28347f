#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/backend/cpu/attention_tiles.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/softmax_row.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

// values = softmax(Q Kᵀ · scale, hidden keys filled) V without the n_q × n_k matrix: its tiles are computed,
// used and discarded. For a row of scores, split into tiles S¹, S², …, three quantities summarise the tiles
// so far: the largest score m, l = Σ exp(S − m), and O = Σ exp(S − m) V. The next tile S updates them to
//     m' = max(m, max S)                 P = exp(S − m')
//     l' = l · exp(m − m') + Σ P
//     O' = O · exp(m − m') + P V
// and O / l after the last one is the row of values (online softmax: Milakov & Gimelshein 2018,
// arXiv:1805.02867; tiles of queries and keys: Dao et al. 2022, arXiv:2205.14135, algorithm 1).
namespace glassbox {

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

// The running state of online softmax for each row of a tile of queries.
struct RowStates {
    real* m;        // the largest score so far
    real* l;        // Σ exp(S − m)
    real* rescale;  // exp(m − m') of the last tile
};

// Turns a tile of scores S (rows × keys) into weights P = exp(S − m').
constexpr Kernel online_softmax = []<class Set>(Set, real* S, index_t rows, index_t keys,
                                                const RowStates& state) {
    using V = Vector<Set>;
    for (index_t i = 0; i < rows; ++i, S += keys) {
        const real m = std::max(state.m[i], largest<Set>(S, keys));
        const real base = m == -infinity ? 0 : m;  // all −∞ so far: weights 0, not exp(−∞ + ∞) = NaN
        over_registers<Set>(
            keys, S, [base](const V& v) { return fast_exp_below_88(V(v - base)); }, S);
        state.rescale[i] = fast_exp(state.m[i] - base);
        state.l[i] = state.l[i] * state.rescale[i] + lane_sum<Set>(S, keys);
        state.m[i] = m;
    }
};

// If all keys are in one tile: S becomes P = softmax(S), and L = ln Σ exp S, by way of the largest scores m.
constexpr Kernel single_tile_softmax = []<class Set>(Set, real* S, index_t rows, index_t keys, real* m,
                                                     real* L) {
    softmax_rows<Set>(S, S, rows, keys, [m, L](index_t i, const Softmax& softmax) {
        m[i] = softmax.m;
        L[i] = softmax.s;
    });
    over_registers<Set>(
        rows, L, [](const auto& max, const auto& sum) { return max + fast_log_from_1(sum); }, m, L);
};

constexpr Kernel scale_rows = [](auto, real* O, index_t step, index_t rows, index_t cols,
                                 const real* factor) {
    for (index_t i = 0; i < rows; ++i, O += step)
        for (index_t j = 0; j < cols; ++j) O[j] *= factor[i];
};

// Whether a key with the score `fill` has weight exactly 0 in all rows.
bool has_no_weight(real fill, const real* m, index_t rows) {
    if (fill == -infinity) return true;
    for (index_t i = 0; i < rows; ++i)
        if (fast_exp(fill - m[i]) != 0) return false;
    return true;
}

// The work of one thread: some of the tiles of queries.
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

    // The same if all keys are in one tile, so that no tiles have to be combined.
    void attend_single_tile(index_t row_tile, real* O, index_t step, real* L) {
        const Tile tile = tiling.tile(row_tile, 0, n_q, n_k);
        real* S = scores.data();
        const Matrix q = Q.rows(tile.row, tile.rows), k_t = transposed(K.rows(0, n_k));
        gemm(tile.rows, n_k, d_k, params.scale, q, k_t, 0, S, n_k);             // (rows, keys)
        mask.hide(S, tile, params.fill);                                        // (rows, keys)
        single_tile_softmax(S, tile.rows, n_k, state.data(), L);                // S becomes P
        gemm(tile.rows, d_v, n_k, 1, {S, n_k, 1}, V.rows(0, n_k), 0, O, step);  // (rows, d_v)
    }

    // O (rows, d_v), its rows `step` apart, and L (rows) of one tile of queries.
    void attend(index_t row_tile, real* O, index_t step, real* L) {
        const RowStates running{state.data(), state.data() + tiling.rows, state.data() + 2 * tiling.rows};
        const Tile first = tiling.tile(row_tile, 0, n_q, n_k);
        const index_t rows = first.rows;
        const Matrix q = Q.rows(first.row, rows);
        std::fill(running.m, running.m + rows, -infinity);
        std::fill(running.l, running.l + rows, real(0));
        for (index_t i = 0; i < rows; ++i) std::fill(O + i * step, O + i * step + d_v, real(0));
        for (index_t t = 0; t < tiling.key_tiles; ++t) {
            const Tile tile = tiling.tile(row_tile, t, n_q, n_k);
            const Matrix v = V.rows(tile.key, tile.keys);
            // 0 · V adds nothing unless V contains NaN or ∞.
            if (mask.hides_all(tile) && has_no_weight(params.fill, running.m, rows) &&
                is_finite(v, tile.keys, d_v))
                continue;
            real* S = scores.data();
            const Matrix k_t = transposed(K.rows(tile.key, tile.keys));
            gemm(rows, tile.keys, d_k, params.scale, q, k_t, 0, S, tile.keys);  // (rows, keys)
            mask.hide(S, tile, params.fill);                                    // (rows, keys)
            online_softmax(S, rows, tile.keys, running);                        // S becomes P
            scale_rows(O, step, rows, d_v, running.rescale);                    // (rows, d_v)
            gemm(rows, d_v, tile.keys, 1, {S, tile.keys, 1}, v, 1, O, step);    // (rows, d_v)
        }
        for (index_t i = 0; i < rows; ++i) {
            running.rescale[i] = n_k > 0 ? 1 / running.l[i] : 0;  // an empty sum of values is 0
            L[i] = running.m[i] + std::log(running.l[i]);
        }
        scale_rows(O, step, rows, d_v, running.rescale);
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
    // A few rows take as long as 16: reading the keys and values is then what takes the time.
    const double work = static_cast<double>(std::max<index_t>(tiling.rows, 16)) * static_cast<double>(n_k) *
                        static_cast<double>(d_k + d_v);
    parallel_for(heads * tiling.row_tiles, units_per_chunk(work), [&](index_t begin, index_t end) {
        Attention task(q, k, v, params, tiling);
        for (index_t unit = begin; unit < end; ++unit) {
            const index_t head = unit / tiling.row_tiles, row_tile = unit % tiling.row_tiles;
            const index_t row = row_tile * tiling.rows;
            task.select_head(head);
            real* O = values.data + offset_of_head(values, 2, head) + row * step;
            real* L = logsumexp.data + head * n_q + row;
            if (tiling.key_tiles == 1) task.attend_single_tile(row_tile, O, step, L);
            else task.attend(row_tile, O, step, L);
        }
    });
}

}  // namespace glassbox
