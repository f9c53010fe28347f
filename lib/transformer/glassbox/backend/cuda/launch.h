#pragma once
#include <cuda_runtime.h>
#include <cstddef>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/dynamic_shared.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// A kernel is a function that many threads execute in parallel, each with its own threadIdx and blockIdx.
// 32 threads form a warp: they run in lockstep and can read each other's registers. Up to 1024 threads form a
// block: they share a small, fast memory and can synchronise. The blocks of a launch form its grid: they run
// in any order, on all available multiprocessors, independently of each other.
constexpr int warp = 32;
constexpr int block_threads = 256;  // for most kernels here: 8 warps, enough to hide memory latency

struct Launch {
    dim3 grid, block;
    std::size_t shared = 0;  // bytes for dynamic_shared()
};

// Enqueues a kernel on the current stream. An empty grid is a no-op.
template <class... Params, class... Args>
void launch(const Op& op, const Launch& how, void (*kernel)(Params...), const Args&... args) {
    if (how.grid.x == 0 || how.grid.y == 0 || how.grid.z == 0) return;
    const cudaStream_t stream = current_stream();
    constexpr std::size_t max_without_opt_in = 48 << 10;
    if (how.shared > max_without_opt_in)
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

constexpr index_t max_blocks = 1 << 20;         // per grid along x, where CUDA allows 2³¹ − 1
constexpr index_t max_blocks_along_y = 65'535;  // all that CUDA allows

// One thread per item, or several items per thread if there are too many: kernels loop over the items with
// first_item() and item_step().
inline Launch for_each_item(index_t n, int threads = block_threads) {
    const index_t blocks = (n + threads - 1) / threads;
    return {dim3(static_cast<unsigned>(blocks < max_blocks ? blocks : max_blocks)),
            dim3(static_cast<unsigned>(threads)), 0};
}

// for (index_t i = first_item(); i < n; i += item_step())
__device__ inline index_t first_item() { return index_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline index_t item_step() { return index_t(gridDim.x) * blockDim.x; }

}  // namespace glassbox
