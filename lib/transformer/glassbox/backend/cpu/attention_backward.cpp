#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/backend/cpu/attention_tiles.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

// The backward pass of attention.cpp. The weights were not stored; they are recomputed, tile by tile, from
// the scores and L = ln Σ exp S of each row. With O = P V and dO = ∂loss/∂O, and so on:
//     D  = Σ_d dO ∘ O            (per row)
//     P  = exp(S − L)
//     dV = Pᵀ dO                 dP = dO Vᵀ
//     dS = P ∘ (dP − D)          0 where the key is hidden: its score is a constant
//     dQ = dS K · scale          dK = dSᵀ Q · scale
// (Dao et al. 2022, arXiv:2205.14135, algorithm 4; D equals Σ_j P_j dP_j.)
namespace glassbox {

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

// P = exp(S − L) inherits the rounding error of L: 2⁻²⁴ |L|, relative to P. Above this bound the rows' sums
// are recomputed: a hidden row filled with −9e15 has L = −9e15 + ln n_k, in which ln n_k is lost to rounding.
constexpr real max_accurate_logsumexp = 64;

// Per-query quantities for the backward pass, for all heads: P = exp(S − shift) / total.
struct RowStats {
    real *D, *shift, *total;
    RowStats operator+(index_t row) const { return {D + row, shift + row, total + row}; }
};

// P (rows × keys) from scores.
constexpr Kernel weights = []<class Set>(Set, real* S, index_t rows, index_t keys, const RowStats& stats) {
    using V = Vector<Set>;
    for (index_t i = 0; i < rows; ++i, S += keys) {
        const real shift = stats.shift[i], factor = 1 / stats.total[i];
        over_registers<Set>(
            keys, S, [=](const V& v) { return fast_exp_below_88(V(v - shift)) * factor; }, S);
    }
};

// dS = P ∘ (dP − D), in place of dP.
constexpr Kernel score_gradients = []<class Set>(Set, const real* P, real* dP, index_t rows, index_t keys,
                                                 const real* D) {
    using V = Vector<Set>;
    for (index_t i = 0; i < rows; ++i, P += keys, dP += keys) {
        const real d = D[i];
        over_registers<Set>(
            keys, dP, [d](const V& p, const V& dp) { return p * (dp - d); }, P, dP);
    }
};

constexpr Kernel dot = []<class Set>(Set, const real* a, const real* b, index_t n) -> real {
    return lane_dot<Set>(a, b, n);
};

constexpr Kernel add_to = [](auto, real* sum, const real* term, index_t n) {
    for (index_t i = 0; i < n; ++i) sum[i] += term[i];
};

// Updates m = max S and l = Σ exp(S − m) with one more tile of scores, which is overwritten (attention.cpp
// has the recurrence).
constexpr Kernel update_sums = []<class Set>(Set, real* S, index_t rows, index_t keys, real* m, real* l) {
    using V = Vector<Set>;
    for (index_t i = 0; i < rows; ++i, S += keys) {
        const real highest = std::max(m[i], largest<Set>(S, keys));
        const real base = highest == -infinity ? 0 : highest;
        over_registers<Set>(
            keys, S, [base](const V& v) { return fast_exp_below_88(V(v - base)); }, S);
        l[i] = l[i] * fast_exp(m[i] - base) + lane_sum<Set>(S, keys);
        m[i] = highest;
    }
};

// The work of one thread.
struct AttentionBackward {
    const AttentionParams& params;
    Tiling tiling;
    index_t n_q, n_k, d_k, d_v;
    RowTiles Q, K, V, O, dO;
    HeadMask mask;
    Scratch scores, gradients;

    AttentionBackward(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionParams& p,
                      const Tiling& t, const ConstView& o, const ConstView& d_o)
        : params(p),
          tiling(t),
          n_q(q.shape[-2]),
          n_k(k.shape[-2]),
          d_k(q.shape[-1]),
          d_v(v.shape[-1]),
          Q(q, t.rows),
          K(k, t.keys),
          V(v, t.keys),
          O(o, t.rows),
          dO(d_o, t.rows),
          mask(q, n_k, p),
          scores(t.rows * t.keys),
          gradients(t.rows * t.keys) {}

    void select_head(index_t n) {
        Q.select_head(n), K.select_head(n), V.select_head(n), O.select_head(n), dO.select_head(n);
        mask.select_head(n);
    }

    // S (rows, keys) of a tile.
    void score(const Tile& tile, Matrix q, Matrix k) {
        gemm(tile.rows, tile.keys, d_k, params.scale, q, transposed(k), 0, scores.data(), tile.keys);
        mask.hide(scores.data(), tile, params.fill);
    }

    // D, shift and total of one tile of queries, from their L.
    void prepare(index_t row_tile, const ConstView& logsumexp, index_t first, const RowStats& stats) {
        const Tile first_tile = tiling.tile(row_tile, 0, n_q, n_k);
        const index_t row = first_tile.row, rows = first_tile.rows;
        const Matrix o = O.rows(row, rows), d_o = dO.rows(row, rows);
        bool is_accurate = true;
        for (index_t i = 0; i < rows; ++i) {
            stats.D[i] = dot_of_rows(d_o, o, i);
            stats.shift[i] = logsumexp.data[first + i];
            stats.total[i] = 1;
            is_accurate = is_accurate && !(std::abs(stats.shift[i]) > max_accurate_logsumexp);
        }
        if (!is_accurate) recompute_sums(row_tile, stats);
    }

    real dot_of_rows(Matrix a, Matrix b, index_t row) const {
        const real *x = a.data + row * a.row, *y = b.data + row * b.row;
        if (a.col == 1 && b.col == 1) return dot(x, y, d_v);
        real sum = 0;
        for (index_t j = 0; j < d_v; ++j) sum += x[j * a.col] * y[j * b.col];
        return sum;
    }

    void recompute_sums(index_t row_tile, const RowStats& stats) {
        const index_t rows = tiling.tile(row_tile, 0, n_q, n_k).rows;
        std::fill(stats.shift, stats.shift + rows, -infinity);
        std::fill(stats.total, stats.total + rows, real(0));
        for (index_t t = 0; t < tiling.key_tiles; ++t) {
            const Tile tile = tiling.tile(row_tile, t, n_q, n_k);
            score(tile, Q.rows(tile.row, tile.rows), K.rows(tile.key, tile.keys));
            update_sums(scores.data(), tile.rows, tile.keys, stats.shift, stats.total);
        }
    }

    // Whether P is exactly 0 in the whole tile, and its factors are finite, so that no product becomes NaN.
    // (Never of a head's only tile: where all keys are hidden, each has the weight 1 / n_k.)
    bool is_zero(const Tile& tile, const RowStats& stats, Matrix q, Matrix k, Matrix d_o) const {
        if (!mask.hides_all(tile)) return false;
        for (index_t i = 0; i < tile.rows; ++i)
            if (fast_exp(params.fill - stats.shift[i]) / stats.total[i] != 0) return false;
        return is_finite(q, tile.rows, d_k) && is_finite(k, tile.keys, d_k) && is_finite(d_o, tile.rows, d_v);
    }

    // Whether one tile covers a head: then dq, dk and dv are overwritten, not accumulated.
    bool has_single_tile() const { return tiling.row_tiles == 1 && tiling.key_tiles == 1; }

    // Adds one tile's contribution to its head's dq (n_q, d_k), and to dk and dv of its keys.
    void pull_back(const Tile& tile, Matrix k, Matrix v, const RowStats& stats, real* dq, real* dk,
                   real* dv) {
        const Matrix q = Q.rows(tile.row, tile.rows), d_o = dO.rows(tile.row, tile.rows);
        if (is_zero(tile, stats, q, k, d_o)) return;
        const real beta = has_single_tile() ? 0 : 1;  // factor on the old dq, dk and dv
        real *S = scores.data(), *dS = gradients.data();
        const Matrix P{S, tile.keys, 1}, d_s{dS, tile.keys, 1};
        score(tile, q, k);                                                         // (rows, keys)
        weights(S, tile.rows, tile.keys, stats);                                   // S becomes P
        gemm(tile.keys, d_v, tile.rows, 1, transposed(P), d_o, beta, dv, d_v);     // dV += Pᵀ dO
        gemm(tile.rows, tile.keys, d_v, 1, d_o, transposed(v), 0, dS, tile.keys);  // dP = dO Vᵀ
        score_gradients(S, dS, tile.rows, tile.keys, stats.D);                     // dP becomes dS
        mask.hide(dS, tile, 0);                                                    // (rows, keys)
        gemm(tile.rows, d_k, tile.keys, params.scale, d_s, k, beta, dq + tile.row * d_k,
             d_k);  // dQ += dS K · scale
        gemm(tile.keys, d_k, tile.rows, params.scale, transposed(d_s), q, beta, dk,
             d_k);  // dK += dSᵀ Q · scale
    }

    // Tiles [key_tile, end) of the keys, each against all queries of the head.
    void pull_back_keys(index_t key_tile, index_t end, const RowStats& stats, real* dq, real* dk, real* dv) {
        for (; key_tile < end; ++key_tile) {
            const Tile keys = tiling.tile(0, key_tile, n_q, n_k);
            const Matrix k = K.rows(keys.key, keys.keys), v = V.rows(keys.key, keys.keys);
            for (index_t t = 0; t < tiling.row_tiles; ++t) {
                const Tile tile = tiling.tile(t, key_tile, n_q, n_k);
                pull_back(tile, k, v, stats + tile.row, dq, dk + keys.key * d_k, dv + keys.key * d_v);
            }
        }
    }
};

}  // namespace

void CpuBackend::attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                    const AttentionParams& params, const ConstView& values,
                                    const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                                    const View& dk, const View& dv) {
    const index_t n_q = q.shape[-2], n_k = k.shape[-2], d_k = q.shape[-1], d_v = v.shape[-1];
    const index_t heads = q.shape.leading(q.shape.rank() - 2).numel();
    const bool empty = heads == 0 || n_q == 0 || n_k == 0;
    const Tiling tiling(heads, n_q, n_k, 128);
    if (empty || tiling.row_tiles > 1 || tiling.key_tiles > 1)
        for (const View* gradient : {&dq, &dk, &dv})
            std::fill(gradient->data, gradient->data + gradient->shape.numel(), real(0));
    if (empty) return;

    const double per_score = static_cast<double>(d_k + d_v);
    const double row_work = static_cast<double>(tiling.rows) * static_cast<double>(d_v);
    Scratch buffer(3 * heads * n_q);
    const RowStats stats{buffer.data(), buffer.data() + heads * n_q, buffer.data() + 2 * heads * n_q};
    parallel_for(heads * tiling.row_tiles, units_per_chunk(row_work), [&](index_t begin, index_t end) {
        AttentionBackward task(q, k, v, params, tiling, values, dvalues);
        for (index_t unit = begin; unit < end; ++unit) {
            const index_t head = unit / tiling.row_tiles, row_tile = unit % tiling.row_tiles;
            const index_t first = head * n_q + row_tile * tiling.rows;
            task.select_head(head);
            task.prepare(row_tile, logsumexp, first, stats + first);
        }
    });

    // With few heads, each head's keys are split into several shares. Every share but the first has its own
    // dQ buffer; these are added in order below, so that the sums are the same for any number of threads.
    const index_t shares = std::min(tiling.key_tiles, (8 + heads - 1) / heads);
    const index_t key_tiles = (tiling.key_tiles + shares - 1) / shares;  // per share
    const index_t head_size = n_q * d_k;
    Scratch more_dq((shares - 1) * heads * head_size);
    std::fill(more_dq.data(), more_dq.data() + (shares - 1) * heads * head_size, real(0));
    const auto dq_of = [&](index_t head, index_t share) {
        return share == 0 ? dq.data + head * head_size
                          : more_dq.data() + ((share - 1) * heads + head) * head_size;
    };
    const double unit_work =
        static_cast<double>(n_q) * static_cast<double>(key_tiles * tiling.keys) * 2.5 * per_score;
    parallel_for(heads * shares, units_per_chunk(unit_work), [&](index_t begin, index_t end) {
        AttentionBackward task(q, k, v, params, tiling, values, dvalues);
        for (index_t unit = begin; unit < end; ++unit) {
            const index_t head = unit / shares, share = unit % shares;
            const index_t first = share * key_tiles, last = std::min(first + key_tiles, tiling.key_tiles);
            task.select_head(head);
            task.pull_back_keys(first, last, stats + head * n_q, dq_of(head, share),
                                dk.data + head * n_k * d_k, dv.data + head * n_k * d_v);
        }
    });
    for (index_t share = 1; share < shares; ++share) add_to(dq.data, dq_of(0, share), heads * head_size);
}

}  // namespace glassbox
