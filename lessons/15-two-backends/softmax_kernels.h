#pragma once
#include <cuda_runtime.h>

#include <array>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/launch.h>

// Lesson 15: one kernel, from the formula to what a GPU likes, in five numbered versions.
//
//     y_i = exp(x_i − m) / Σ_j exp(x_j − m),  m = max x,  of each row of a gapless (rows, n)
//
// All five find the same numbers. They differ in how often they go to memory, in who reads what beside whom,
// and in how many threads have a row. Number is what memory holds: `real` on the GPU; a test puts in one that
// writes down every read and write.
namespace glassbox::lesson15 {

// 1. A thread for each row, three passes, as one writes it after reading the formula. Neighbouring threads
// read numbers that lie a row apart: every one of them comes with 7 neighbours whom nobody asked for.
template <class Number>
__global__ void a_thread_a_row(const Number* x, Number* y, index_t rows, index_t n) {
    for (index_t row = first_item(); row < rows; row += item_step()) {
        const Number* from = x + row * n;
        Number* to = y + row * n;
        real m = -static_cast<real>(INFINITY), s = 0;
        for (index_t j = 0; j < n; ++j) m = Larger<real>()(m, from[j]);
        for (index_t j = 0; j < n; ++j) s += exp(from[j] - m);
        for (index_t j = 0; j < n; ++j) to[j] = exp(from[j] - m) / s;
    }
}

// What a thread of versions 2 to 4 knows of its place: lane k of the warp that has this row.
struct Place {
    index_t row, step;
    int lane;
    __device__ Place()
        : row(first_item() / warp), step(item_step() / warp), lane(static_cast<int>(threadIdx.x) % warp) {}
};

// 2. A warp for each row: lane k reads numbers k, k + 32, …, so that what 32 threads ask for at once lies
// side by side. What each lane has found goes to the others by shuffles, from register to register.
template <class Number>
__global__ void a_warp_a_row(const Number* x, Number* y, index_t rows, index_t n) {
    const Place at;
    for (index_t row = at.row; row < rows; row += at.step) {
        const Number* from = x + row * n;
        Number* to = y + row * n;
        real m = -static_cast<real>(INFINITY), s = 0;
        for (index_t j = at.lane; j < n; j += warp) m = Larger<real>()(m, from[j]);
        m = warp_max(m);
        for (index_t j = at.lane; j < n; j += warp) s += exp(from[j] - m);
        s = warp_sum(s);
        for (index_t j = at.lane; j < n; j += warp) to[j] = exp(from[j] - m) / s;
    }
}

constexpr int kept = 32;  // numbers of a row in the registers of each lane of version 3

// 3. The same, and the row stays in the registers of its warp: read once, written once, each exponential
// taken once. The loops have a fixed length, since registers have no index: the compiler writes all 32 rounds
// out.
template <class Number>
__global__ void a_row_in_registers(const Number* x, Number* y, index_t rows, index_t n) {
    const Place at;
    for (index_t row = at.row; row < rows; row += at.step) {
        real own[kept];
#pragma unroll
        for (int k = 0; k < kept; ++k) {
            const index_t j = at.lane + k * warp;
            own[k] = j < n ? static_cast<real>(x[row * n + j]) : -static_cast<real>(INFINITY);
        }
        real m = own[0], s = 0;
#pragma unroll
        for (int k = 1; k < kept; ++k) m = Larger<real>()(m, own[k]);
        m = warp_max(m);
#pragma unroll
        for (int k = 0; k < kept; ++k) s += own[k] = exp(own[k] - m);
        s = warp_sum(s);
#pragma unroll
        for (int k = 0; k < kept; ++k) {
            const index_t j = at.lane + k * warp;
            if (j < n) y[row * n + j] = own[k] / s;
        }
    }
}

// m = max x_j and s = Σ exp(x_j − m) of the numbers seen so far. Where a larger one comes, s is scaled down
// to it (Milakov and Gimelshein 2018).
struct Pair {
    real m = -static_cast<real>(INFINITY), s = 0;

    __device__ void add(real x) {
        if (x > m) {
            s = s * exp(m - x) + 1;
            m = x;
        } else if (!(x == -static_cast<real>(INFINITY))) {  // a hidden number adds nothing; NaN does
            s += exp(x - m);
        }
    }
    // Several pairs at once: s of each, scaled to the maximum of all, and then added up.
    __device__ real scaled_to(real largest) const { return s * exp(m - largest); }
};

// 4. Online: maximum and sum in one pass, so two passes in all, for rows of any length. Each lane makes the
// pair of its own share; then 32 pairs are merged.
template <class Number>
__global__ void online(const Number* x, Number* y, index_t rows, index_t n) {
    const Place at;
    for (index_t row = at.row; row < rows; row += at.step) {
        const Number* from = x + row * n;
        Number* to = y + row * n;
        Pair own;
        for (index_t j = at.lane; j < n; j += warp) own.add(from[j]);
        const real m = warp_max(own.m), s = warp_sum(own.scaled_to(m));
        for (index_t j = at.lane; j < n; j += warp) to[j] = exp(from[j] - m) / s;
    }
}

// 5. A block for each row: 1024 threads share one, so that few long rows keep the GPU as busy as many short
// ones. Warps know nothing of each other's registers: they meet in shared memory, and wait for each other
// there.
template <class Number>
__global__ void a_block_a_row(const Number* x, Number* y, index_t rows, index_t n) {
    for (index_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const Number* from = x + row * n;
        Number* to = y + row * n;
        Pair own;
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) own.add(from[j]);
        const real m = block_max(own.m), s = block_sum(own.scaled_to(m));
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) to[j] = exp(from[j] - m) / s;
    }
}

template <class Number>
struct Version {
    const char* name;
    void (*kernel)(const Number*, Number*, index_t rows, index_t n);
    int threads_a_row;
    index_t longest;  // row that it can take

    Launch launch_for(index_t rows) const {
        if (threads_a_row <= warp) return for_each_item(rows * threads_a_row);
        return {dim3(static_cast<unsigned>(rows < max_blocks ? rows : max_blocks)),
                dim3(static_cast<unsigned>(threads_a_row)), 0};
    }
};

// Number i is at place i − 1.
template <class Number>
std::array<Version<Number>, 5> versions() {
    const index_t any = index_t{1} << 40;
    return {{{"a thread a row", a_thread_a_row<Number>, 1, any},
             {"a warp a row", a_warp_a_row<Number>, warp, any},
             {"in registers", a_row_in_registers<Number>, warp, kept * warp},
             {"online", online<Number>, warp, any},
             {"a block a row", a_block_a_row<Number>, 1024, any}}};
}

}  // namespace glassbox::lesson15
