#pragma once
#include <cuda_runtime.h>

#include <glassbox/backend/cuda/launch.h>

namespace glassbox {

constexpr unsigned all_lanes = 0xffffffffu;

// Binary operations with their identity element.
template <class T>
struct Plus {
    __device__ T operator()(T a, T b) const { return a + b; }
    __device__ static T none() { return 0; }
};
// NaN is ignored; where it matters, it propagates through a sum.
template <class T>
struct Larger {
    __device__ T operator()(T a, T b) const { return b > a ? b : a; }
    __device__ static T none() { return -static_cast<T>(INFINITY); }
};

// Reduces the values of groups of `lanes` adjacent lanes (2, 4, … 32); every lane gets its group's result.
// Each lane combines its value with that of the lane `lanes` / 2 away, then `lanes` / 4, …: the same tree
// every time. The whole warp must call it.
template <int lanes, class Combine, class T>
__device__ T warp_reduce(T value, Combine combine) {
#pragma unroll
    for (int away = lanes / 2; away > 0; away /= 2)
        value = combine(value, __shfl_xor_sync(all_lanes, value, away));
    return value;
}
template <class T>
__device__ T warp_sum(T value) {
    return warp_reduce<warp>(value, Plus<T>());
}
template <class T>
__device__ T warp_max(T value) {
    return warp_reduce<warp>(value, Larger<T>());
}

// The same for a one-dimensional block of a multiple of 32 threads: within the warps first, then over the
// warps. Every thread gets the result; the whole block must call it.
template <class Combine, class T>
__device__ T block_reduce(T value, Combine combine) {
    __shared__ T found[warp];
    const int lane = static_cast<int>(threadIdx.x) % warp, which = static_cast<int>(threadIdx.x) / warp;
    const int warps = static_cast<int>(blockDim.x) / warp;
    value = warp_reduce<warp>(value, combine);
    __syncthreads();  // all threads have read the last result
    if (lane == 0) found[which] = value;
    __syncthreads();
    value = lane < warps ? found[lane] : Combine::none();
    return warp_reduce<warp>(value, combine);
}
template <class T>
__device__ T block_sum(T value) {
    return block_reduce(value, Plus<T>());
}
template <class T>
__device__ T block_max(T value) {
    return block_reduce(value, Larger<T>());
}

}  // namespace glassbox
