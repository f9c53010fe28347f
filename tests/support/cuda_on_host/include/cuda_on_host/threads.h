#pragma once
#include <cstdint>
#include <cstring>

#include "vectors.h"

// A kernel thread's indices and its synchronisation with others.

extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
constexpr int warpSize = 32;

namespace cuda_on_host {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffu;

enum class Meeting { shuffle, ballot, sync };

int lane();
void* dynamic_shared_memory();
void sync_block();
std::uint64_t sync_block_sum(bool predicate);  // number of threads of the block for which it is true
// Waits until all lanes of the warp have reached the same kind of synchronisation; returns all lanes' values.
const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t value);

template <typename T>
T shuffle(unsigned mask, T value, int from, int last, bool below = false) {
    static_assert(sizeof(T) <= 8, "a shuffle moves 4 or 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    const std::uint64_t* values = meet(Meeting::shuffle, mask, bits);
    if (from > last || below) return value;
    std::memcpy(&value, &values[from], sizeof(T));
    return value;
}

}  // namespace cuda_on_host

inline void __syncthreads() { cuda_on_host::sync_block(); }
inline int __syncthreads_count(int predicate) {
    return static_cast<int>(cuda_on_host::sync_block_sum(predicate != 0));
}
inline int __syncthreads_or(int predicate) { return cuda_on_host::sync_block_sum(predicate != 0) != 0; }
inline int __syncthreads_and(int predicate) { return cuda_on_host::sync_block_sum(predicate == 0) == 0; }
inline void __syncwarp(unsigned mask = cuda_on_host::all_lanes) {
    cuda_on_host::meet(cuda_on_host::Meeting::sync, mask, 0);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// In segments of `width` lanes; a lane without a partner in its segment keeps its own value.
template <typename T>
T __shfl_sync(unsigned mask, T value, int from, int width = warpSize) {
    const int first = cuda_on_host::lane() & ~(width - 1);
    return cuda_on_host::shuffle(mask, value, first + (from & (width - 1)), first + width - 1);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize) {
    const int self = cuda_on_host::lane();
    return cuda_on_host::shuffle(mask, value, (self ^ bits) & (warpSize - 1), self | (width - 1));
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = warpSize) {
    const int self = cuda_on_host::lane();
    return cuda_on_host::shuffle(mask, value, self + static_cast<int>(distance), self | (width - 1));
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = warpSize) {
    const int self = cuda_on_host::lane(), from = self - static_cast<int>(distance);
    return cuda_on_host::shuffle(mask, value, from, self | (width - 1), from < (self & ~(width - 1)));
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    const std::uint64_t* values = cuda_on_host::meet(cuda_on_host::Meeting::ballot, mask, predicate != 0);
    unsigned ballot = 0;
    for (int i = 0; i < warpSize; ++i) ballot |= static_cast<unsigned>(values[i]) << i;
    return ballot;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == cuda_on_host::all_lanes;
}

// For integers only: sums of floats in varying order would not be reproducible.
#define CUDA_ON_HOST_ATOMICS(T)            \
    inline T atomicAdd(T* p, T x) {        \
        T old = *p;                        \
        *p = static_cast<T>(old + x);      \
        return old;                        \
    }                                      \
    inline T atomicMax(T* p, T x) {        \
        T old = *p;                        \
        *p = old < x ? x : old;            \
        return old;                        \
    }                                      \
    inline T atomicMin(T* p, T x) {        \
        T old = *p;                        \
        *p = x < old ? x : old;            \
        return old;                        \
    }                                      \
    inline T atomicOr(T* p, T x) {         \
        T old = *p;                        \
        *p = old | x;                      \
        return old;                        \
    }                                      \
    inline T atomicAnd(T* p, T x) {        \
        T old = *p;                        \
        *p = old & x;                      \
        return old;                        \
    }                                      \
    inline T atomicExch(T* p, T x) {       \
        T old = *p;                        \
        *p = x;                            \
        return old;                        \
    }                                      \
    inline T atomicCAS(T* p, T was, T x) { \
        T old = *p;                        \
        if (old == was) *p = x;            \
        return old;                        \
    }
CUDA_ON_HOST_ATOMICS(int)
CUDA_ON_HOST_ATOMICS(unsigned)
CUDA_ON_HOST_ATOMICS(unsigned long long)
#undef CUDA_ON_HOST_ATOMICS
