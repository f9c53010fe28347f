#include <cmath>
#include <string>

#include <glassbox/backend/cuda/launch.h>

#include "kernel_test.h"

using namespace glassbox_test;

namespace {

using Catch::Matchers::Contains;

__global__ void half_waits(float* x) {
    if (threadIdx.x % 2 == 0) return;
    __syncthreads();
    x[threadIdx.x] = 1;
}
__global__ void two_barriers(float* x) {
    if (threadIdx.x < 32) __syncthreads();
    else __syncwarp();
    x[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void lane_missing(float* x) {
    if (threadIdx.x != 3) x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
}
__global__ void part_of_a_warp(float* x) { x[threadIdx.x] = __shfl_xor_sync(0xffffu, x[threadIdx.x], 1); }
__global__ void mixed(float* x) {
    if (threadIdx.x < 16) x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
    else __syncwarp();
}
__global__ void writes_one(float* x) { x[0] = 1; }

// The reported description of the kernel's mistake.
std::string fault_of(void (*kernel)(float*), unsigned threads) {
    const FreshDevice device;
    float* x = on_device(std::vector<float>(threads));
    CHECK(launch(2, threads, 0, nullptr, kernel, x) == cudaSuccess);  // not checked yet
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);  // the error is sticky
    CHECK(launch(1, 1, 0, nullptr, writes_one, x) == cudaErrorLaunchFailure);
    CHECK(cudaFree(x) == cudaErrorLaunchFailure);
    return cuda_on_host::last_fault();
}

TEST_CASE(
    "a barrier that not all threads reach ends the kernel, names the waiting threads, and leaves a sticky "
    "error") {
    const std::string fault = fault_of(half_waits, 64);
    CHECK_THAT(fault, Contains("half_waits(float*)") && Contains("32 threads wait at __syncthreads") &&
                          Contains("32 of 64 threads have ended"));
    CHECK_THAT(fault_of(two_barriers, 64), Contains("32 threads wait at __syncthreads"));
}

TEST_CASE("warp primitives that a lane misses, or with mismatched calls, end the kernel") {
    CHECK_THAT(fault_of(lane_missing, 64), Contains("31 of 32 lanes of warp 0 wait"));
    CHECK_THAT(fault_of(part_of_a_warp, 32), Contains("only the full mask"));
    CHECK_THAT(fault_of(mixed, 32), Contains("at another warp primitive"));
    CHECK_THAT(fault_of(lane_missing, 16), Contains("15 of 32 lanes"));
}

TEST_CASE("after a reset the device works again") {
    fault_of(half_waits, 96);
    const FreshDevice device;
    float* x = on_device(std::vector<float>(1));
    REQUIRE(launch(1, 1, 0, nullptr, writes_one, x) == cudaSuccess);
    CHECK(on_host(x, 1)[0] == 1);
}

TEST_CASE("launches beyond the device's limits are rejected with CUDA's errors, reported once") {
    const FreshDevice device;
    float* x = on_device(std::vector<float>(1));
    const dim3 one(1);
    CHECK(launch(one, 1025, 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    CHECK(launch(one, dim3(32, 33), 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    CHECK(launch(one, dim3(1, 1, 65), 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    CHECK(launch(dim3(1, 65536), one, 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    CHECK(launch(dim3(0x80000000u), one, 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    CHECK(launch(dim3(0), one, 0, nullptr, writes_one, x) == cudaErrorInvalidConfiguration);
    void (*nothing)(float*) = nullptr;
    CHECK(launch(one, one, 0, nullptr, nothing, x) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(launch(one, one, 0, nullptr, writes_one, x) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

__global__ void last_byte(char* out, int bytes) { *out = glassbox::dynamic_shared<char>()[bytes - 1]; }

TEST_CASE("more than 48 KiB of shared memory is opt-in, more than 227 KiB is not possible") {
    const FreshDevice device;
    char* x = on_device(std::vector<char>(1));
    const auto with = [&](int bytes) {
        return launch(1, 1, static_cast<std::size_t>(bytes), nullptr, last_byte, x, bytes);
    };
    CHECK(with(48 << 10) == cudaSuccess);
    CHECK(with((48 << 10) + 1) == cudaErrorInvalidValue);
    const auto ask = [](int bytes) {
        return cudaFuncSetAttribute(last_byte, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    CHECK(ask((227 << 10) + 1) == cudaErrorInvalidValue);
    CHECK(ask(227 << 10) == cudaSuccess);
    CHECK(with(227 << 10) == cudaSuccess);
    CHECK(with((227 << 10) + 1) == cudaErrorInvalidValue);
    CHECK(on_host(x, 1)[0] == static_cast<char>(0xff));  // garbage
}

__global__ void much_static(float* x) {
    __shared__ float tile[6000];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    glassbox::dynamic_shared<float>()[0] = tile[threadIdx.x];
}

TEST_CASE("static and dynamic shared memory are added up") {
    const FreshDevice device;
    float* x = on_device(std::vector<float>(1));
    REQUIRE(launch(1, 1, 24 << 10, nullptr, much_static, x) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(launch(1, 1, 40 << 10, nullptr, much_static, x) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK_THAT(cuda_on_host::last_fault(), Contains("24000 bytes of static and 40960 of dynamic"));
}

TEST_CASE("a pointer to host memory as a kernel's argument is an illegal address") {
    const FreshDevice device;
    float x = 0;
    REQUIRE(launch(1, 1, 0, nullptr, writes_one, &x) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(x == 0);
    CHECK_THAT(cuda_on_host::last_fault(), Contains("argument 0 points to memory of the host"));
}

__global__ void leaves_behind(int* found) {
    __shared__ int x[4];
    found[blockIdx.x] = x[1];
    x[1] = 5;
}

TEST_CASE("shared and fresh memory are filled with garbage, anew for every block") {
    const FreshDevice device;
    int* found = on_device(std::vector<int>(9));
    REQUIRE(launch(9, 1, 0, nullptr, leaves_behind, found) == cudaSuccess);
    CHECK(on_host(found, 9) == std::vector<int>(9, -1));
    float* fresh = nullptr;
    REQUIRE(cudaMalloc(&fresh, 4 * sizeof(float)) == cudaSuccess);
    for (float value : on_host(fresh, 4)) CHECK(std::isnan(value));
}

}  // namespace
