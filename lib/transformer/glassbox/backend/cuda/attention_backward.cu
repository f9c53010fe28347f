#include <glassbox/backend/cuda/attention_tiles.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/scratch.h>

// The backward pass of attention.cu. The weights were not stored; they are recomputed, tile by tile, from the
// scores and L = ln Σ exp S of each row. With O = P V and dO = ∂loss/∂O, and so on:
//     D  = Σ_d dO ∘ O            (per row)
//     P  = exp(S − L)
//     dV = Pᵀ dO                 dP = dO Vᵀ
//     dS = P ∘ (dP − D)          0 where the key is hidden: its score is a constant
//     dQ = dS K · scale          dK = dSᵀ Q · scale
// (Dao et al. 2022, arXiv:2205.14135, algorithm 4.) Each sum belongs to one block, which adds in a fixed
// order: dQ is computed by blocks that take 64 queries and iterate over the keys, dK and dV by blocks that
// take 64 keys and iterate over the queries. This computes the scores twice, and needs neither atomics nor a
// second copy of dQ.
namespace glassbox {

namespace {

// P = exp(S − L) inherits the rounding error of L: 2⁻²⁴ |L|, relative to P. Above this bound the rows' sums
// are recomputed: a hidden row filled with −9e15 has L = −9e15 + ln n_k, in which ln n_k is lost to rounding.
constexpr real max_accurate_logsumexp = 64;

// Per-query quantities for the backward pass, for all heads: P = exp(S − shift) · factor.
struct RowStats {
    real *D, *shift, *factor;
    unsigned char* may_skip;  // per tile of queries: hidden keys have weight 0, and Q and dO are finite
};

// D = Σ dO ∘ O of the rows that a thread holds, reduced over its half-warp.
__device__ void row_dots(const Head& head, index_t row, real (&D)[thread_rows]) {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const index_t i = row + thread_rows * down() + r;
        real sum = 0;
        for (index_t c = across(); i < head.o.rows && c < head.o.cols; c += 16)
            sum += head.d_o.data[i * head.d_o.row + c * head.d_o.col] *
                   head.o.data[i * head.o.row + c * head.o.col];
        D[r] = reduce_row(sum, Plus<real>());
    }
}

// Recomputes m and l of the rows from all scores.
__device__ void recompute_sums(const AttentionTask& task, const Head& head, index_t row,
                               const TileBuffers& buffers, RowSums& sums) {
    for (index_t key = 0; key < task.n_k; key += tile_side) {
        real S[thread_rows][thread_columns], rescale[thread_rows];
        dots(S, head.q, row, head.k, key, buffers);
        mask_scores(S, task, head.mask, row, key);
        sums.update(S, rescale);
    }
}

__global__ void __launch_bounds__(tile_threads)
    rows_kernel(AttentionTask task, TileUnits units, const real* L, RowStats stats) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size];
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), row = units.tile(unit) * tile_side;
        const Head head = task.head(n);
        const index_t own = n * task.n_q + row + thread_rows * down(),
                      left = task.n_q - row - thread_rows * down();
        RowSums sums;
        real D[thread_rows];
        row_dots(head, row, D);
        bool is_accurate = true;
#pragma unroll
        for (int r = 0; r < thread_rows; ++r)
            is_accurate = is_accurate && (r >= left || !(fabs(L[own + r]) > max_accurate_logsumexp));
        is_accurate = block_all(is_accurate);
        if (!is_accurate) recompute_sums(task, head, row, TileBuffers{a, b, nullptr}, sums);
        bool may_skip = has_finite_share(head.q, row) && has_finite_share(head.d_o, row);
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            if (r >= left) continue;
            const real shift = is_accurate ? L[own + r] : sums.m[r],
                       factor = is_accurate ? real(1) : 1 / sums.l[r];
            may_skip = may_skip && exp(task.fill - shift) * factor == 0;
            if (across() == 0)
                stats.D[own + r] = D[r], stats.shift[own + r] = shift, stats.factor[own + r] = factor;
        }
        may_skip = block_all(may_skip);
        if (threadIdx.x == 0) stats.may_skip[unit] = may_skip;
    }
}

// dS from dP and S; queries down, keys across.
__device__ void gradients_of_queries(real (&dS)[thread_rows][thread_columns],
                                     const real (&S)[thread_rows][thread_columns], const AttentionTask& task,
                                     const KeyMask& mask, const RowStats& stats, index_t row, index_t key) {
    const MaskTile tile(task, mask, row, key);
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const int i = thread_rows * down() + r, seen = tile.seen(i);
        const bool in_range = i < tile.rows;
        const real shift = in_range ? stats.shift[row + i] : 0, factor = in_range ? stats.factor[row + i] : 0,
                   sum = in_range ? stats.D[row + i] : 0;
#pragma unroll
        for (int e = 0; e < thread_columns; ++e) {
            const int j = thread_columns * across() + e;
            const real P = exp(S[r][e] * task.scale - shift) * factor;
            dS[r][e] = tile.exists(i, j) && !tile.hides(seen, i, j) ? P * (dS[r][e] - sum) : real(0);
        }
    }
}

// dQ (64, D) of one tile of queries, not yet scaled.
template <int D>
__device__ void pull_back_queries(const AttentionTask& task, const Head& head, const RowStats& stats,
                                  index_t row, index_t column, const unsigned char* finite,
                                  const TileBuffers& buffers, real (&dQ)[thread_rows][D / 16]) {
    const index_t last_row = (row + tile_side < task.n_q ? row + tile_side : task.n_q) - 1;
    for (index_t key = 0; key < task.n_k; key += tile_side) {
        if (head.mask.hides_all(last_row, key) && finite[key / tile_side]) continue;  // dS = 0
        real S[thread_rows][thread_columns], dS[thread_rows][thread_columns];
        dots(S, head.q, row, head.k, key, buffers);                     // (64, 64)
        dots(dS, head.d_o, row, head.v, key, buffers);                  // dP (64, 64)
        gradients_of_queries(dS, S, task, head.mask, stats, row, key);  // dS (64, 64)
        keep_tile(dS, buffers);                                         // (64, 64)
        accumulate<D>(dQ, head.k, key, column, buffers);                // (64, D)
    }
}

template <int D>
__global__ void __launch_bounds__(tile_threads)
    queries_kernel(AttentionTask task, TileUnits units, RowStats stats, const unsigned char* finite,
                   real* dq) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size], tile[tile_side * tile_side];
    const index_t key_tiles = (task.n_k + tile_side - 1) / tile_side;
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), row = (units.tiles - 1 - units.tile(unit)) * tile_side;
        const index_t column = units.slice(unit) * D, first = n * task.n_q;
        const RowStats of_head{stats.D + first, stats.shift + first, stats.factor + first, nullptr};
        real dQ[thread_rows][D / 16] = {}, factor[thread_rows];
        pull_back_queries<D>(task, task.head(n), of_head, row, column,
                             finite ? finite + n * key_tiles : nullptr, TileBuffers{a, b, tile}, dQ);
        for (real& f : factor) f = task.scale;
        store<D>(dQ, factor, dq + first * task.d_k, task.d_k, 1, row, task.n_q, column, task.d_k);
    }
}

// Keys down, queries across: Pᵀ from K Qᵀ. Returns a bit mask of the 32 numbers whose keys are hidden.
__device__ unsigned weights_of_keys(real (&P)[thread_rows][thread_columns], const AttentionTask& task,
                                    const KeyMask& mask, const RowStats& stats, index_t key, index_t row) {
    const MaskTile tile(task, mask, row, key);
    unsigned hidden = 0;
#pragma unroll
    for (int e = 0; e < thread_columns; ++e) {
        const int i = thread_columns * across() + e, seen = tile.seen(i);
        const bool in_range = i < tile.rows;
        const real shift = in_range ? stats.shift[row + i] : 0, factor = in_range ? stats.factor[row + i] : 0;
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const int j = thread_rows * down() + r;
            const bool exists = tile.exists(i, j), hides = !exists || tile.hides(seen, i, j);
            const real weight = exp((hides ? task.fill : P[r][e] * task.scale) - shift) * factor;
            P[r][e] = exists ? weight : real(0);
            hidden |= unsigned(hides) << (r * thread_columns + e);
        }
    }
    return hidden;
}

// dSᵀ from dPᵀ = V dOᵀ and Pᵀ, which this thread has stored in the tile.
__device__ void gradients_of_keys(real (&dS)[thread_rows][thread_columns], const AttentionTask& task,
                                  const RowStats& stats, index_t row, unsigned hidden,
                                  const TileBuffers& buffers) {
#pragma unroll
    for (int e = 0; e < thread_columns; ++e) {
        const int line = thread_columns * across() + e;
        const real sum = row + line < task.n_q ? stats.D[row + line] : 0;
        const Four upper = four_at(buffers.tile, line, 2 * down()),
                   lower = four_at(buffers.tile, line, 2 * down() + 1);
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const real P = r < 4 ? upper.of[r % 4] : lower.of[r % 4];
            dS[r][e] = hidden >> (r * thread_columns + e) & 1 ? real(0) : P * (dS[r][e] - sum);
        }
    }
}

// dK and dV (64, D) of one tile of keys, dK not yet scaled.
template <int D>
__device__ void pull_back_keys(const AttentionTask& task, const Head& head, const RowStats& stats,
                               index_t key, index_t column, const TileBuffers& buffers,
                               real (&dK)[thread_rows][D / 16], real (&dV)[thread_rows][D / 16]) {
    for (index_t row = 0; row < task.n_q; row += tile_side) {
        const index_t last_row = (row + tile_side < task.n_q ? row + tile_side : task.n_q) - 1;
        if (stats.may_skip[row / tile_side] && head.mask.hides_all(last_row, key)) continue;
        real T[thread_rows][thread_columns];
        dots(T, head.k, key, head.q, row, buffers);  // Sᵀ (64, 64)
        const unsigned hidden = weights_of_keys(T, task, head.mask, stats, key, row);
        keep_tile(T, buffers);                                                     // Pᵀ (64, 64)
        if (column < task.d_v) accumulate<D>(dV, head.d_o, row, column, buffers);  // (64, D)
        if (column >= task.d_k) continue;
        dots(T, head.v, key, head.d_o, row, buffers);             // dPᵀ (64, 64)
        gradients_of_keys(T, task, stats, row, hidden, buffers);  // dSᵀ (64, 64)
        keep_tile(T, buffers);                                    // (64, 64)
        accumulate<D>(dK, head.q, row, column, buffers);          // (64, D)
    }
}

template <int D>
__global__ void __launch_bounds__(tile_threads)
    keys_kernel(AttentionTask task, TileUnits units, RowStats stats, real* dk, real* dv) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size], tile[tile_side * tile_side];
    const index_t row_tiles = (task.n_q + tile_side - 1) / tile_side;
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), key = units.tile(unit) * tile_side, first = n * task.n_q;
        const index_t column = units.slice(unit) * D;
        const RowStats of_head{stats.D + first, stats.shift + first, stats.factor + first,
                               stats.may_skip + n * row_tiles};
        real dK[thread_rows][D / 16] = {}, dV[thread_rows][D / 16] = {}, factor[thread_rows];
        pull_back_keys<D>(task, task.head(n), of_head, key, column, TileBuffers{a, b, tile}, dK, dV);
        for (real& f : factor) f = task.scale;
        store<D>(dK, factor, dk + n * task.n_k * task.d_k, task.d_k, 1, key, task.n_k, column, task.d_k);
        for (real& f : factor) f = 1;
        store<D>(dV, factor, dv + n * task.n_k * task.d_v, task.d_v, 1, key, task.n_k, column, task.d_v);
    }
}

}  // namespace

void CudaBackend::attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                                     const AttentionParams& params, const ConstView& values,
                                     const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                                     const View& dk, const View& dv) {
    const Op op("attention_backward", q.shape, k.shape, v.shape);
    const AttentionTask task = attention_task(q, k, v, params, values, dvalues);
    const index_t heads = task.head_count, rows = heads * task.n_q;
    const index_t row_tiles = tiles_in(task.n_q), key_tiles = tiles_in(task.n_k);
    const GpuScratch<real> buffers(3 * rows);
    const GpuScratch<unsigned char> may_skip(heads * row_tiles), finite(heads * key_tiles);
    const RowStats stats{buffers.data(), buffers.data() + rows, buffers.data() + 2 * rows, may_skip.data()};
    const TileUnits all_rows{heads, row_tiles, 1};
    launch(op, tile_blocks(all_rows.count()), rows_kernel, task, all_rows, logsumexp.data, stats);
    if (params.causal || params.lengths.data) find_finite_tiles(op, k, finite.data());
    with_width(task.d_k, [&](auto wide) {
        constexpr int D = decltype(wide)::columns;
        const TileUnits units{heads, row_tiles, slices_in(task.d_k, D)};
        launch(op, tile_blocks(units.count()), queries_kernel<D>, task, units, stats,
               static_cast<const unsigned char*>(finite.data()), dq.data);
    });
    const index_t widest_d = task.d_k > task.d_v ? task.d_k : task.d_v;
    with_width(widest_d, [&](auto wide) {
        constexpr int D = decltype(wide)::columns;
        const TileUnits units{heads, key_tiles, slices_in(widest_d, D)};
        launch(op, tile_blocks(units.count()), keys_kernel<D>, task, units, stats, dk.data, dv.data);
    });
}

}  // namespace glassbox
