#include <glassbox/backend/cuda/attention_tiles.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/scratch.h>

// values = softmax(Q Kᵀ · scale, hidden keys filled) V without the n_q × n_k matrix, with the recurrence of
// backend/cpu/attention.cpp: a block takes 64 queries and iterates over the keys, 64 at a time. The tile of
// scores and O are in the block's registers; shared memory passes the tile from one product to the next.
// (Milakov & Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022, arXiv:2205.14135, algorithm 1.)
namespace glassbox {

namespace {

// Whether a key with the score `fill` has weight exactly 0 in every row of the block's tile.
__device__ bool has_no_weight(real fill, const RowSums& sums, index_t row, index_t n_q) {
    if (fill == -static_cast<real>(INFINITY)) return true;
    bool is_zero = true;
#pragma unroll
    for (int r = 0; r < thread_rows; ++r)
        is_zero = is_zero && (row + thread_rows * down() + r >= n_q || exp(fill - sums.m[r]) == 0);
    return block_all(is_zero);
}

// O (64, D) of one tile of queries, not yet divided by Σ P.
template <int D>
__device__ void attend(const AttentionTask& task, const Head& head, index_t row, index_t column,
                       const unsigned char* finite, const TileBuffers& buffers, RowSums& sums,
                       real (&O)[thread_rows][D / 16]) {
    const index_t last_row = (row + tile_side < task.n_q ? row + tile_side : task.n_q) - 1;
    bool is_known = false, is_zero = false;  // hidden keys come last, and their weight can only decrease
    for (index_t key = 0; key < task.n_k; key += tile_side) {
        if (head.mask.hides_all(last_row, key)) {
            if (!is_known) is_zero = has_no_weight(task.fill, sums, row, task.n_q);
            is_known = true;
            if (is_zero && finite[key / tile_side]) continue;
        }
        real S[thread_rows][thread_columns], rescale[thread_rows];
        dots(S, head.q, row, head.k, key, buffers);  // (64, 64)
        mask_scores(S, task, head.mask, row, key);   // (64, 64)
        sums.update(S, rescale);                     // S becomes P
        keep_tile(S, buffers);                       // (64, 64)
#pragma unroll
        for (int r = 0; r < thread_rows; ++r)
#pragma unroll
            for (int c = 0; c < D / 16; ++c) O[r][c] *= rescale[r];
        accumulate<D>(O, head.v, key, column, buffers);  // (64, D)
    }
}

template <int D>
__global__ void __launch_bounds__(tile_threads, sizeof(real) == sizeof(float) && D <= 64 ? 3 : 2)
    attention_kernel(AttentionTask task, TileUnits units, const unsigned char* finite, real* values,
                     real* L) {
    __shared__ __align__(16) real a[chunk_size], b[chunk_size], tile[tile_side * tile_side];
    for (index_t unit = blockIdx.x; unit < units.count(); unit += gridDim.x) {
        const index_t n = units.head(unit), slice = units.slice(unit), column = slice * D;
        // With a causal mask the last queries see the most keys: they are scheduled first to balance the
        // load.
        const index_t row = (units.tiles - 1 - units.tile(unit)) * tile_side;
        const Head head = task.head(n);
        RowSums sums;
        real O[thread_rows][D / 16] = {}, factor[thread_rows];
        attend<D>(task, head, row, column,
                  finite ? finite + n * ((task.n_k + tile_side - 1) / tile_side) : nullptr,
                  TileBuffers{a, b, tile}, sums, O);
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const index_t i = row + thread_rows * down() + r;
            factor[r] = task.n_k > 0 ? 1 / sums.l[r] : real(0);  // an empty sum of values is 0
            if (slice == 0 && across() == 0 && i < task.n_q) L[n * task.n_q + i] = sums.m[r] + log(sums.l[r]);
        }
        store<D>(O, factor, values + (head.o.data - task.first.o.data), head.o.row, head.o.col, row, task.n_q,
                 column, task.d_v);
    }
}

}  // namespace

void CudaBackend::attention(const ConstView& q, const ConstView& k, const ConstView& v,
                            const AttentionParams& params, const View& values, const View& logsumexp) {
    const Op op("attention", q.shape, k.shape, v.shape);
    const AttentionTask task = attention_task(q, k, v, params, values, {});
    const index_t key_tiles = tiles_in(task.n_k);
    const bool may_skip = params.causal || params.lengths.data;
    const GpuScratch<unsigned char> finite(may_skip ? task.head_count * key_tiles : 0);
    if (may_skip) find_finite_tiles(op, v, finite.data());
    with_width(task.d_v, [&](auto wide) {
        constexpr int D = decltype(wide)::columns;
        const TileUnits units{task.head_count, tiles_in(task.n_q), slices_in(task.d_v, D)};
        launch(op, tile_blocks(units.count()), attention_kernel<D>, task, units,
               static_cast<const unsigned char*>(finite.data()), values.data, logsumexp.data);
    });
}

}  // namespace glassbox
