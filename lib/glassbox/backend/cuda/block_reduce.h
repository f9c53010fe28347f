#pragma once
#include <cuda_runtime.h>

#include <glassbox/backend/cuda/launch.h>

namespace glassbox {

constexpr unsigned all_lanes = 0xffffffffu;

// What combines two numbers, and what changes nothing.
template <class T>
struct Plus {
    __device__ T operator()(T a, T b) const { return a + b; }
    __device__ static T none() { return 0; }
};
// NaN does not count: where it matters, another sum has it.
template <class T>
struct Larger {
    __device__ T operator()(T a, T b) const { return b > a ? b : a; }
    __device__ static T none() { return -static_cast<T>(INFINITY); }
};

// All numbers of `lanes` neighbours in a warp (2, 4, … 32) combined, in each of them: every lane combines
// its own with the one half as many lanes away, then a quarter, …: the same tree every time. The whole warp
// must call it.
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

// The same for a block of one axis, of a multiple of 32 threads: warps first, then what they found. In each
// thread; the whole block must call it.
template <class Combine, class T>
__device__ T block_reduce(T value, Combine combine) {
    __shared__ T found[warp];
    const int lane = static_cast<int>(threadIdx.x) % warp, which = static_cast<int>(threadIdx.x) / warp;
    const int warps = static_cast<int>(blockDim.x) / warp;
    value = warp_reduce<warp>(value, combine);
    __syncthreads();  // who is still reading the last result?
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
