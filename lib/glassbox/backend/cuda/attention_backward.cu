#include <glassbox/backend/cuda/attention_tiles.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/scratch.h>

// The way back of attention.cu. The weights were forgotten; they are made again, tile by tile, from the
// scores and L = ln Σ exp S of each row. With O = P V and dO = ∂loss/∂O, and so on:
//     D  = Σ_d dO ∘ O            (of each row)
//     P  = exp(S − L)
//     dV = Pᵀ dO                 dP = dO Vᵀ
//     dS = P ∘ (dP − D)          0 where the key is hidden: the score there is a constant
//     dQ = dS K · scale          dK = dSᵀ Q · scale
// (Dao et al. 2022, arXiv:2205.14135, algorithm 4.) A sum is one block's alone, in a fixed order: dQ is made
// by blocks that take 64 queries and go through the keys, dK and dV by blocks that take 64 keys and go
// through the queries. That makes the scores twice, and needs neither atomics nor a second copy of dQ.
namespace glassbox {
namespace {

// P = exp(S − L) loses what L's rounding lost: 2⁻²⁴ |L|, relative to P. Beyond this the rows' sums are made
// again: a hidden row filled with −9e15 has L = −9e15 + ln n_k, in which no digit of n_k is left.
constexpr real trusted_logsumexp = 64;

// What the way back needs of each query, for all heads: P = exp(S − shift) · share.
struct KeptRows {
    real *D, *shift, *share;
    unsigned char* quiet;  // of each tile of queries: hidden keys weigh 0 there, and Q and dO are finite
};

// D = Σ dO ∘ O of the rows that a thread holds, its half-warp together.
__device__ void row_dots(const Head& head, index_t row, real (&D)[held_down]) {
#pragma unroll
    for (int r = 0; r < held_down; ++r) {
        const index_t i = row + held_down * down() + r;
        real sum = 0;
        for (index_t c = across(); i < head.o.rows && c < head.o.cols; c += 16)
            sum += head.d_o.data[i * head.d_o.row + c * head.d_o.col] *
                   head.o.data[i * head.o.row + c * head.o.col];
        D[r] = reduce_row(sum, Plus<real>());
    }
}

// m and l of the rows, from all scores.
__device__ void recount(const AttentionTask& task, const Head& head, index_t row, const TileRoom& room,
                        RowSums& sums) {
    for (index_t key = 0; key < task.n_k; key += tile_side) {
        real S[held_down][held_across], shrink[held_down];
        dots(S, head.q, row, head.k, key, room);
        mask_scores(S, task, head.mask, row, key);
        sums.absorb(S, shrink);
    }
}

__global__ void __launch_bounds__(tile_threads)
    rows_kernel(AttentionTask task, TileUnits units, const real* L, KeptRows kept) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size];
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), row = units.tile(unit) * tile_side;
        const Head head = task.head(n);
        const index_t mine = n * task.n_q + row + held_down * down(),
                      left = task.n_q - row - held_down * down();
        RowSums sums;
        real D[held_down];
        row_dots(head, row, D);
        bool trusted = true;
#pragma unroll
        for (int r = 0; r < held_down; ++r)
            trusted = trusted && (r >= left || !(fabs(L[mine + r]) > trusted_logsumexp));
        trusted = everywhere(trusted);
        if (!trusted) recount(task, head, row, TileRoom{a, b, nullptr}, sums);
        bool quiet = has_finite_share(head.q, row) && has_finite_share(head.d_o, row);
#pragma unroll
        for (int r = 0; r < held_down; ++r) {
            if (r >= left) continue;
            const real shift = trusted ? L[mine + r] : sums.m[r], share = trusted ? real(1) : 1 / sums.l[r];
            quiet = quiet && exp(task.fill - shift) * share == 0;
            if (across() == 0)
                kept.D[mine + r] = D[r], kept.shift[mine + r] = shift, kept.share[mine + r] = share;
        }
        quiet = everywhere(quiet);
        if (threadIdx.x == 0) kept.quiet[unit] = quiet;
    }
}

// dS from dP and S, queries down, keys across.
__device__ void gradients_of_queries(real (&dS)[held_down][held_across],
                                     const real (&S)[held_down][held_across], const AttentionTask& task,
                                     const KeyMask& mask, const KeptRows& of, index_t row, index_t key) {
    const MaskTile tile(task, mask, row, key);
#pragma unroll
    for (int r = 0; r < held_down; ++r) {
        const int i = held_down * down() + r, seen = tile.seen(i);
        const bool there = i < tile.rows;
        const real shift = there ? of.shift[row + i] : 0, share = there ? of.share[row + i] : 0,
                   sum = there ? of.D[row + i] : 0;
#pragma unroll
        for (int e = 0; e < held_across; ++e) {
            const int j = held_across * across() + e;
            const real P = exp(S[r][e] * task.scale - shift) * share;
            dS[r][e] = tile.exists(i, j) && !tile.hides(seen, i, j) ? P * (dS[r][e] - sum) : real(0);
        }
    }
}

// dQ (64, D) of one tile of queries, not yet scaled.
template <int D>
__device__ void pull_back_queries(const AttentionTask& task, const Head& head, const KeptRows& of,
                                  index_t row, index_t column, const unsigned char* finite,
                                  const TileRoom& room, real (&dQ)[held_down][D / 16]) {
    const index_t last_row = (row + tile_side < task.n_q ? row + tile_side : task.n_q) - 1;
    for (index_t key = 0; key < task.n_k; key += tile_side) {
        if (head.mask.hides_all(last_row, key) && finite[key / tile_side]) continue;  // dS = 0
        real S[held_down][held_across], dS[held_down][held_across];
        dots(S, head.q, row, head.k, key, room);                     // (64, 64)
        dots(dS, head.d_o, row, head.v, key, room);                  // dP (64, 64)
        gradients_of_queries(dS, S, task, head.mask, of, row, key);  // dS (64, 64)
        keep_tile(dS, room);                                         // (64, 64)
        accumulate<D>(dQ, head.k, key, column, room);                // (64, D)
    }
}

template <int D>
__global__ void __launch_bounds__(tile_threads)
    queries_kernel(AttentionTask task, TileUnits units, KeptRows kept, const unsigned char* finite,
                   real* dq) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size], tile[tile_side * tile_side];
    const index_t key_tiles = (task.n_k + tile_side - 1) / tile_side;
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), row = (units.tiles - 1 - units.tile(unit)) * tile_side;
        const index_t column = units.piece(unit) * D, first = n * task.n_q;
        const KeptRows of{kept.D + first, kept.shift + first, kept.share + first, nullptr};
        real dQ[held_down][D / 16] = {}, factor[held_down];
        pull_back_queries<D>(task, task.head(n), of, row, column, finite ? finite + n * key_tiles : nullptr,
                             TileRoom{a, b, tile}, dQ);
        for (real& f : factor) f = task.scale;
        store<D>(dQ, factor, dq + first * task.d_k, task.d_k, 1, row, task.n_q, column, task.d_k);
    }
}

// Keys down, queries across: Pᵀ from K Qᵀ, and which of the 32 numbers are no function of the scores.
__device__ unsigned weights_of_keys(real (&P)[held_down][held_across], const AttentionTask& task,
                                    const KeyMask& mask, const KeptRows& of, index_t key, index_t row) {
    const MaskTile tile(task, mask, row, key);
    unsigned hidden = 0;
#pragma unroll
    for (int e = 0; e < held_across; ++e) {
        const int i = held_across * across() + e, seen = tile.seen(i);
        const bool there = i < tile.rows;
        const real shift = there ? of.shift[row + i] : 0, share = there ? of.share[row + i] : 0;
#pragma unroll
        for (int r = 0; r < held_down; ++r) {
            const int j = held_down * down() + r;
            const bool exists = tile.exists(i, j), hides = !exists || tile.hides(seen, i, j);
            const real weight = exp((hides ? task.fill : P[r][e] * task.scale) - shift) * share;
            P[r][e] = exists ? weight : real(0);
            hidden |= unsigned(hides) << (r * held_across + e);
        }
    }
    return hidden;
}

// dSᵀ from dPᵀ = V dOᵀ and Pᵀ, which this thread has kept in the tile.
__device__ void gradients_of_keys(real (&dS)[held_down][held_across], const AttentionTask& task,
                                  const KeptRows& of, index_t row, unsigned hidden, const TileRoom& room) {
#pragma unroll
    for (int e = 0; e < held_across; ++e) {
        const int line = held_across * across() + e;
        const real sum = row + line < task.n_q ? of.D[row + line] : 0;
        const Four upper = four_at(room.tile, line, 2 * down()),
                   lower = four_at(room.tile, line, 2 * down() + 1);
#pragma unroll
        for (int r = 0; r < held_down; ++r) {
            const real P = r < 4 ? upper.of[r % 4] : lower.of[r % 4];
            dS[r][e] = hidden >> (r * held_across + e) & 1 ? real(0) : P * (dS[r][e] - sum);
        }
    }
}

// dK and dV (64, D) of one tile of keys, dK not yet scaled.
template <int D>
__device__ void pull_back_keys(const AttentionTask& task, const Head& head, const KeptRows& of, index_t key,
                               index_t column, const TileRoom& room, real (&dK)[held_down][D / 16],
                               real (&dV)[held_down][D / 16]) {
    for (index_t row = 0; row < task.n_q; row += tile_side) {
        const index_t last_row = (row + tile_side < task.n_q ? row + tile_side : task.n_q) - 1;
        if (of.quiet[row / tile_side] && head.mask.hides_all(last_row, key)) continue;
        real T[held_down][held_across];
        dots(T, head.k, key, head.q, row, room);  // Sᵀ (64, 64)
        const unsigned hidden = weights_of_keys(T, task, head.mask, of, key, row);
        keep_tile(T, room);                                                     // Pᵀ (64, 64)
        if (column < task.d_v) accumulate<D>(dV, head.d_o, row, column, room);  // (64, D)
        if (column >= task.d_k) continue;
        dots(T, head.v, key, head.d_o, row, room);          // dPᵀ (64, 64)
        gradients_of_keys(T, task, of, row, hidden, room);  // dSᵀ (64, 64)
        keep_tile(T, room);                                 // (64, 64)
        accumulate<D>(dK, head.q, row, column, room);       // (64, D)
    }
}

template <int D>
__global__ void __launch_bounds__(tile_threads)
    keys_kernel(AttentionTask task, TileUnits units, KeptRows kept, real* dk, real* dv) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size], tile[tile_side * tile_side];
    const index_t row_tiles = (task.n_q + tile_side - 1) / tile_side;
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), key = units.tile(unit) * tile_side, first = n * task.n_q;
        const index_t column = units.piece(unit) * D;
        const KeptRows of{kept.D + first, kept.shift + first, kept.share + first, kept.quiet + n * row_tiles};
        real dK[held_down][D / 16] = {}, dV[held_down][D / 16] = {}, factor[held_down];
        pull_back_keys<D>(task, task.head(n), of, key, column, TileRoom{a, b, tile}, dK, dV);
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
    const GpuScratch<real> room(3 * rows);
    const GpuScratch<unsigned char> quiet(heads * row_tiles), finite(heads * key_tiles);
    const KeptRows kept{room.data(), room.data() + rows, room.data() + 2 * rows, quiet.data()};
    const TileUnits all_rows{heads, row_tiles, 1};
    launch(op, tile_blocks(all_rows.count()), rows_kernel, task, all_rows, logsumexp.data, kept);
    if (params.causal || params.lengths.data) find_finite_tiles(op, k, finite.data());
    with_width(task.d_k, [&](auto wide) {
        constexpr int D = decltype(wide)::columns;
        const TileUnits units{heads, row_tiles, pieces_in(task.d_k, D)};
        launch(op, tile_blocks(units.count()), queries_kernel<D>, task, units, kept,
               static_cast<const unsigned char*>(finite.data()), dq.data);
    });
    const index_t most = task.d_k > task.d_v ? task.d_k : task.d_v;
    with_width(most, [&](auto wide) {
        constexpr int D = decltype(wide)::columns;
        const TileUnits units{heads, key_tiles, pieces_in(most, D)};
        launch(op, tile_blocks(units.count()), keys_kernel<D>, task, units, kept, dk.data, dv.data);
    });
}

}  // namespace glassbox
