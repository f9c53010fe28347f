#pragma once
#include <glassbox/backend/cuda/attention_task.h>
#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/launch.h>

// The two products of fused attention, for a block of 128 threads:
//     dots         T = A Bᵀ    64 rows of A, 64 of B, of any width
//     accumulate   C += T B    64 rows of B, D of its columns
// A thread holds 8 × 4 numbers of a tile T in registers: per column of A and B it reads 12 numbers from
// shared memory for 32 multiplications. (With one number per thread it would read 2 for each multiplication,
// and shared memory would be the bottleneck.) Data that is reused is staged in shared memory, which holds a
// chunk of columns of A and B, and one tile.
namespace glassbox {

constexpr int tile_side = 64;
constexpr int tile_threads = 128;                   // 16 across × 8 down
constexpr int thread_rows = 8, thread_columns = 4;  // a thread's register block of a tile
constexpr int chunk_columns = sizeof(real) == sizeof(float) ? 32 : 8;
constexpr int chunk_size = tile_side * chunk_columns;
constexpr int widest = sizeof(real) == sizeof(float) ? 128 : 64;  // maximum D, limited by registers

struct TileBuffers {  // in shared memory
    real *a, *b;      // chunk_size each
    real* tile;       // tile_side²
};

// Thread (across, down) holds rows 8 · down … + 7 of a tile and columns 4 · across … + 3. The 16 threads of a
// row are half a warp.
__device__ inline int across() { return static_cast<int>(threadIdx.x) % 16; }
__device__ inline int down() { return static_cast<int>(threadIdx.x) / 16; }

template <class Combine>
__device__ real reduce_row(real value, Combine combine) {
    return warp_reduce<16>(value, combine);
}

// Whether the condition holds in every thread of the block.
__device__ inline bool block_all(bool condition) {
    __shared__ unsigned found[tile_threads / warp];
    const unsigned votes = __ballot_sync(all_lanes, condition);
    __syncthreads();
    found[threadIdx.x / warp] = votes;
    __syncthreads();
    return (found[0] & found[1] & found[2] & found[3]) == all_lanes;
}

struct alignas(16) Four {
    real of[4];
};
template <int n>
struct alignas(n >= 4 ? 16 : n * sizeof(real)) Neighbours {
    real of[n];
};

// Elements (i, j … j + 3) of x, 0 out of range.
__device__ inline Four read_four(const Rows& x, index_t i, index_t j) {
    Four four = {};
    if (i >= x.rows) return four;
    const real* from = x.data + i * x.row + j * x.col;
    if (x.by_fours && j + 4 <= x.cols) return *reinterpret_cast<const Four*>(from);
#pragma unroll
    for (int e = 0; e < 4; ++e)
        if (j + e < x.cols) four.of[e] = from[e * x.col];
    return four;
}

// The position of element (line, i) in a chunk or tile with 64 numbers per line. Shared memory has 32 banks,
// each of which serves one address at a time. Groups of four are permuted, differently every four lines, so
// that threads writing a column and threads reading a line both avoid bank conflicts.
__device__ inline int group_place(int line, int group) {
    return line * tile_side + ((group ^ (line >> 2 & 7)) << 2);
}
__device__ inline int place(int line, int i) { return group_place(line, i >> 2) + (i & 3); }
__device__ inline Four four_at(const real* chunk, int line, int group) {
    return *reinterpret_cast<const Four*>(chunk + group_place(line, group));
}

// Reads `lines` rows of x from `row` on, `columns` of each from `column` on, four numbers at a time, and
// calls keep(line, group, four). If all are in range and aligned, a thread issues all its loads before it
// stores the first; otherwise it processes them one by one.
template <int lines, int columns, class Keep>
__device__ void read_fours(const Rows& x, index_t row, index_t column, Keep keep) {
    constexpr int groups = columns / 4, steps = lines * groups / tile_threads, stride = tile_threads / groups;
    const int group = static_cast<int>(threadIdx.x) % groups, line = static_cast<int>(threadIdx.x) / groups;
    if (x.by_fours && row + lines <= x.rows && column + columns <= x.cols) {
        const real* from = x.data + (row + line) * x.row + column + 4 * group;
        Four fours[steps];
#pragma unroll
        for (int s = 0; s < steps; ++s) fours[s] = *reinterpret_cast<const Four*>(from + s * stride * x.row);
#pragma unroll
        for (int s = 0; s < steps; ++s) keep(line + s * stride, group, fours[s]);
    } else {
#pragma unroll 1
        for (int l = line; l < lines; l += stride) keep(l, group, read_four(x, row + l, column + 4 * group));
    }
}

// Columns of 64 rows of x become lines of the chunk.
__device__ inline void load_columns(real* chunk, const Rows& x, index_t row, index_t column) {
    read_fours<tile_side, chunk_columns>(x, row, column, [chunk](int line, int group, const Four& four) {
#pragma unroll
        for (int e = 0; e < 4; ++e) chunk[place(4 * group + e, line)] = four.of[e];
    });
}

// T = A Bᵀ for the 64 rows from row_a and from row_b on.
__device__ inline void dots(real (&T)[thread_rows][thread_columns], const Rows& A, index_t row_a,
                            const Rows& B, index_t row_b, const TileBuffers& buffers) {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r)
#pragma unroll
        for (int e = 0; e < thread_columns; ++e) T[r][e] = 0;
    if (A.cols == 0) __syncthreads();  // as in the loop: keep_tile() relies on it
    for (index_t column = 0; column < A.cols; column += chunk_columns) {
        __syncthreads();  // all threads are done with the last chunks
        load_columns(buffers.a, A, row_a, column);
        load_columns(buffers.b, B, row_b, column);
        __syncthreads();
        const index_t left = A.cols - column;
        const int columns = left < chunk_columns ? static_cast<int>(left) : chunk_columns;
        for (int line = 0; line < columns; line += 4) {  // zeros beyond the last column
#pragma unroll
            for (int l = line; l < line + 4; ++l) {
                const Four upper = four_at(buffers.a, l, 2 * down()),
                           lower = four_at(buffers.a, l, 2 * down() + 1);
                const Four b = four_at(buffers.b, l, across());
#pragma unroll
                for (int r = 0; r < thread_rows; ++r)
#pragma unroll
                    for (int e = 0; e < thread_columns; ++e)
                        T[r][e] += (r < 4 ? upper.of[r % 4] : lower.of[r % 4]) * b.of[e];
            }
        }
    }
}

// Writes a tile to shared memory for accumulate(), its columns as lines. All threads must have passed a
// __syncthreads() since they read the last tile; the one in dots() will do.
__device__ inline void keep_tile(const real (&T)[thread_rows][thread_columns], const TileBuffers& buffers) {
#pragma unroll
    for (int e = 0; e < thread_columns; ++e) {
        const int line = thread_columns * across() + e;
        *reinterpret_cast<Four*>(buffers.tile + group_place(line, 2 * down())) = {T[0][e], T[1][e], T[2][e],
                                                                                  T[3][e]};
        *reinterpret_cast<Four*>(buffers.tile + group_place(line, 2 * down() + 1)) = {T[4][e], T[5][e],
                                                                                      T[6][e], T[7][e]};
    }
}

// A thread holds 8 rows of C and D / 16 of its columns, in one or more groups of `adjacent` columns.
template <int D>
struct Columns {
    static constexpr int held = D / 16, adjacent = held < 4 ? held : 4;
    __device__ static int column(int i) {
        return i / adjacent * 16 * adjacent + across() * adjacent + i % adjacent;
    }
};

// C += T B with T the stored tile and B the 64 rows of x from `row` on, D of its columns from `column` on.
template <int D>
__device__ void accumulate(real (&C)[thread_rows][D / 16], const Rows& x, index_t row, index_t column,
                           const TileBuffers& buffers) {
    constexpr int lines = chunk_size / D, n = Columns<D>::adjacent;
    for (int first = 0; first < tile_side && row + first < x.rows; first += lines) {
        __syncthreads();  // the tile is written, and all threads are done with the last chunk
        read_fours<lines, D>(x, row + first, column, [&](int line, int group, const Four& four) {
            *reinterpret_cast<Four*>(buffers.b + line * D + 4 * group) = four;
        });
        __syncthreads();
        for (int line = 0; line < lines; line += 4) {
#pragma unroll
            for (int l = line; l < line + 4; ++l) {
                const Four upper = four_at(buffers.tile, first + l, 2 * down()),
                           lower = four_at(buffers.tile, first + l, 2 * down() + 1);
#pragma unroll
                for (int i = 0; i < D / 16; i += n) {
                    const Neighbours<n> b =
                        *reinterpret_cast<const Neighbours<n>*>(buffers.b + l * D + Columns<D>::column(i));
#pragma unroll
                    for (int r = 0; r < thread_rows; ++r)
#pragma unroll
                        for (int e = 0; e < n; ++e)
                            C[r][i + e] += (r < 4 ? upper.of[r % 4] : lower.of[r % 4]) * b.of[e];
                }
            }
        }
    }
}

// Writes the rows and columns of C that are in range, each row times its `factor`.
template <int D>
__device__ void store(const real (&C)[thread_rows][D / 16], const real (&factor)[thread_rows], real* to,
                      index_t row_step, index_t column_step, index_t row, index_t rows, index_t column,
                      index_t columns) {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const index_t i = row + thread_rows * down() + r;
#pragma unroll
        for (int e = 0; e < D / 16; ++e) {
            const index_t j = column + Columns<D>::column(e);
            if (i < rows && j < columns) to[i * row_step + j * column_step] = C[r][e] * factor[r];
        }
    }
}

// How many of the 64 positions from `first` on are below the end. Positions in a tile are ints, which take
// half the registers of index_t.
__device__ inline int part_below(index_t end, index_t first) {
    const index_t left = end - first;
    return left < 0 ? 0 : left < tile_side ? static_cast<int>(left) : tile_side;
}

// The mask of a tile of 64 queries and 64 keys.
struct MaskTile {
    int rows, keys;  // in range
    index_t row, key;
    const KeyMask& mask;

    __device__ MaskTile(const AttentionTask& task, const KeyMask& m, index_t first_row, index_t first_key)
        : rows(part_below(task.n_q, first_row)),
          keys(part_below(task.n_k, first_key)),
          row(first_row),
          key(first_key),
          mask(m) {}
    __device__ bool exists(int i, int j) const { return i < rows && j < keys; }
    __device__ int seen(int i) const { return part_below(mask.seen(row + i), key); }
    // For keys that exist; `seen` is seen(i).
    __device__ bool hides(int seen, int i, int j) const {
        return j >= seen || (mask.visible && mask.visible[(row + i) * mask.row + (key + j) * mask.key] == 0);
    }
};

// S (queries down, keys across) from Q Kᵀ: scaled, hidden keys filled; −∞ out of range.
__device__ inline void mask_scores(real (&S)[thread_rows][thread_columns], const AttentionTask& task,
                                   const KeyMask& mask, index_t row, index_t key) {
    const MaskTile tile(task, mask, row, key);
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const int i = thread_rows * down() + r, seen = tile.seen(i);
#pragma unroll
        for (int e = 0; e < thread_columns; ++e) {
            const int j = thread_columns * across() + e;
            if (!tile.exists(i, j)) S[r][e] = -static_cast<real>(INFINITY);
            else S[r][e] = tile.hides(seen, i, j) ? task.fill : S[r][e] * task.scale;
        }
    }
}

// The running state of online softmax per row: the largest score so far and Σ exp(S − m).
struct RowSums {
    real m[thread_rows], l[thread_rows];

    __device__ RowSums() {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) m[r] = -static_cast<real>(INFINITY), l[r] = 0;
    }

    // Adds one more tile of scores S, which becomes P = exp(S − m'); `rescale` = exp(m − m') is the factor on
    // earlier weights.
    __device__ void update(real (&S)[thread_rows][thread_columns], real (&rescale)[thread_rows]) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            real largest = m[r], sum = 0;
#pragma unroll
            for (int e = 0; e < thread_columns; ++e) largest = Larger<real>()(largest, S[r][e]);
            largest = reduce_row(largest, Larger<real>());
            // All −∞ so far: weights 0, not exp(−∞ + ∞) = NaN.
            const real base = largest == -static_cast<real>(INFINITY) ? real(0) : largest;
#pragma unroll
            for (int e = 0; e < thread_columns; ++e) sum += S[r][e] = exp(S[r][e] - base);
            rescale[r] = exp(m[r] - base);
            l[r] = l[r] * rescale[r] + reduce_row(sum, Plus<real>());
            m[r] = largest;
        }
    }
};

// The work items of a launch: one per head, per tile of its queries or keys, and per slice of D columns of
// the result. A block processes several if there are more than the grid may have.
struct TileUnits {
    index_t heads, tiles, slices;
    __host__ __device__ index_t count() const { return heads * tiles * slices; }
    __device__ index_t head(index_t unit) const { return unit / (slices * tiles); }
    __device__ index_t tile(index_t unit) const { return unit / slices % tiles; }
    __device__ index_t slice(index_t unit) const { return unit % slices; }
};

inline index_t tiles_in(index_t n) { return (n + tile_side - 1) / tile_side; }

// The number of slices of D columns, at least 1.
inline index_t slices_in(index_t columns, int D) { return columns > D ? (columns + D - 1) / D : 1; }

inline Launch tile_blocks(index_t units) {
    return {dim3(static_cast<unsigned>(units < max_blocks ? units : max_blocks)), dim3(tile_threads)};
}

// Calls f with the D for this number of columns, as a type: f(Wide<64>()).
template <int D>
struct Wide {
    static constexpr int columns = D;
};
template <class F>
void with_width(index_t columns, F f) {
    if (columns <= 32) return f(Wide<32>());
    if (columns <= 64) return f(Wide<64>());
    f(Wide<widest>());
}

// Whether this thread's share of the 64 rows from `row` on has neither NaN nor ∞, that is, x − x = 0.
__device__ inline bool has_finite_share(const Rows& x, index_t row) {
    const index_t rows = x.rows - row < tile_side ? x.rows - row : tile_side;
    bool finite = true;
    for (index_t t = threadIdx.x; t < rows * x.cols; t += tile_threads) {
        const real value = x.data[(row + t / x.cols) * x.row + t % x.cols * x.col];
        finite = finite && value - value == 0;
    }
    return finite;
}

// flags (heads, tiles): 1 if a tile of 64 rows of the matrices x is all finite. Such a tile may be skipped if
// its weights are 0, because its products are then 0 and not NaN.
void find_finite_tiles(const Op& op, const ConstView& x, unsigned char* flags);

}  // namespace glassbox
