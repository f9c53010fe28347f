#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/dynamic_shared.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// A kernel is a function that a great many threads run at once, each with another threadIdx and blockIdx.
// 32 threads go in step and can read each other's registers: a warp. Up to 1024 threads are a block: they
// share a little fast memory and can wait for each other. The blocks of a launch are its grid: they run in
// any order, on as many processors as there are, and know nothing of each other.
constexpr int warp = 32;
constexpr int block_threads = 256;  // of most kernels here: 8 warps, enough to hide the memory's delay

struct Launch {
    dim3 grid, block;
    std::size_t shared = 0;  // bytes for dynamic_shared()
};

// Puts a kernel into the current stream. A grid without a block is nothing to do.
template <class... Params, class... Args>
void launch(const Op& op, const Launch& how, void (*kernel)(Params...), const Args&... args) {
    if (how.grid.x == 0 || how.grid.y == 0 || how.grid.z == 0) return;
    const cudaStream_t stream = current_stream();
    constexpr std::size_t without_asking = 48 << 10;
    if (how.shared > without_asking)
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(how.shared)),
              op);
    cudaLaunchConfig_t config = {};
    config.gridDim = how.grid;
    config.blockDim = how.block;
    config.dynamicSmemBytes = how.shared;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, args...), op);
}

constexpr index_t most_blocks = 1 << 20;  // in a grid; the axis x could have 2³¹ − 1, y and z 65,535

// A thread for each of n items, or some items for each thread when they are too many: kernels go through
// them with each_item().
inline Launch for_each_item(index_t n, int threads = block_threads) {
    const index_t blocks = (n + threads - 1) / threads;
    return {dim3(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks)),
            dim3(static_cast<unsigned>(threads)), 0};
}

// for (index_t i = first_item(); i < n; i += item_step())
__device__ inline index_t first_item() { return index_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline index_t item_step() { return index_t(gridDim.x) * blockDim.x; }

}  // namespace glassbox
