#include "kernel_test.h"

using namespace glassbox_test;

namespace {

TEST_CASE("copies work only in the stated direction, and never beyond an allocation") {
    const FreshDevice device;
    std::vector<float> host(8, 3);
    float* block = on_device(host);
    const std::size_t bytes = 8 * sizeof(float);
    CHECK(cudaMemcpy(block, host.data(), bytes, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), block, bytes, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), host.data(), bytes, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), block, bytes + 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), block + 1, bytes, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemset(host.data(), 0, bytes) == cudaErrorInvalidValue);
    CHECK(cudaMemset(block, 0, bytes + 1) == cudaErrorInvalidValue);
    CHECK(host == std::vector<float>(8, 3));
    CHECK(cudaMemset(block + 2, 0, 2 * sizeof(float)) == cudaSuccess);
    CHECK(cudaMemcpy(host.data(), block, bytes, cudaMemcpyDefault) == cudaSuccess);
    CHECK(host == std::vector<float>{3, 3, 0, 0, 3, 3, 3, 3});
}

TEST_CASE("memory that was not allocated, or already freed, cannot be freed") {
    const FreshDevice device;
    float host = 0;
    float* block = on_device(std::vector<float>(8));
    CHECK(cudaFree(&host) == cudaErrorInvalidValue);
    CHECK(cudaFree(block + 1) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(block) == cudaErrorInvalidValue);
    CHECK(cudaFree(block) == cudaSuccess);
    CHECK(cudaFree(block) == cudaErrorInvalidValue);
    CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("the device's memory is limited") {
    const FreshDevice device;
    cuda_on_host::set_device_memory(1 << 20);
    char *first = nullptr, *second = nullptr;
    CHECK(cudaMalloc(&first, 600 << 10) == cudaSuccess);
    CHECK(cudaMalloc(&second, 600 << 10) == cudaErrorMemoryAllocation);
    CHECK(second == nullptr);
    std::size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == std::size_t{424 << 10});
    CHECK(total == std::size_t{1 << 20});
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaFree(first) == cudaSuccess);
    CHECK(cudaMalloc(&second, 600 << 10) == cudaSuccess);
    cuda_on_host::set_device_memory(std::size_t{8} << 30);
}

}  // namespace
