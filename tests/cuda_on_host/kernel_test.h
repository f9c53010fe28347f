#pragma once
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <vector>

#include <cuda_on_host/control.h>

#include "support/catch.h"

namespace glassbox_test {

// Resets the device at the start and at the end of a test.
class FreshDevice {
  public:
    explicit FreshDevice(std::uint64_t seed = 1) {
        cudaDeviceReset();
        cuda_on_host::set_seed(seed);
        cuda_on_host::report_faults_quietly(true);
    }
    ~FreshDevice() {
        cudaDeviceReset();
        cuda_on_host::report_faults_quietly(false);
    }
};

// Numbers on the device, until it is reset.
template <typename T>
T* on_device(const std::vector<T>& numbers) {
    T* block = nullptr;
    REQUIRE(cudaMalloc(&block, numbers.size() * sizeof(T)) == cudaSuccess);
    REQUIRE(cudaMemcpy(block, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice) ==
            cudaSuccess);
    return block;
}
template <typename T>
std::vector<T> on_host(const T* block, std::size_t count) {
    std::vector<T> numbers(count);
    REQUIRE(cudaMemcpy(numbers.data(), block, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return numbers;
}

template <typename... Params, typename... Args>
cudaError_t launch(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream, void (*kernel)(Params...),
                   Args... args) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

}  // namespace glassbox_test
