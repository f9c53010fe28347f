#include <cmath>
#include <set>

#include <glassbox/backend/cuda/launch.h>

#include "kernel_test.h"

using namespace glassbox_test;

namespace {

// out[block] = Σ x of its part: shuffles within a warp, shared memory between warps.
__global__ void sum_parts(const float* x, float* out, int part) {
    __shared__ float of_warp[32];
    const int t = static_cast<int>(threadIdx.x);
    float sum = 0;
    for (int i = t; i < part; i += static_cast<int>(blockDim.x))
        sum += x[static_cast<int>(blockIdx.x) * part + i];
    for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t > 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; ++w) sum += of_warp[w];
    out[blockIdx.x] = sum;
}

TEST_CASE("a reduction with shuffles and shared memory gives the sum, for any order of threads") {
    std::vector<float> x(7 * 500);
    std::vector<float> expected(7);
    for (std::size_t i = 0; i < x.size(); ++i) expected[i / 500] += x[i] = static_cast<float>(i % 13);
    for (std::uint64_t seed : {1, 2, 3}) {
        const FreshDevice device(seed);
        float* out = on_device(std::vector<float>(7));
        REQUIRE(launch(7, 128, 0, nullptr, sum_parts, on_device(x), out, 500) == cudaSuccess);
        CHECK(on_host(out, 7) == expected);
    }
}

// Each thread reads its neighbour's value.
template <bool waits>
__global__ void neighbours(float* out) {
    __shared__ float x[96];
    x[threadIdx.x] = static_cast<float>(threadIdx.x);
    if (waits) __syncthreads();
    out[threadIdx.x] = x[(threadIdx.x + 1) % 96];
}

TEST_CASE("a missing barrier is detected: neighbours read garbage, and different garbage with another seed") {
    std::set<std::vector<bool>> seen;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const FreshDevice device(seed);
        float* out = on_device(std::vector<float>(96));
        REQUIRE(launch(1, 96, 0, nullptr, neighbours<false>, out) == cudaSuccess);
        std::vector<bool> garbage;
        int count = 0;
        for (float value : on_host(out, 96)) count += garbage.emplace_back(std::isnan(value));
        CHECK(count > 20);
        seen.insert(garbage);
        REQUIRE(launch(1, 96, 0, nullptr, neighbours<true>, out) == cudaSuccess);
        for (float value : on_host(out, 96)) CHECK_FALSE(std::isnan(value));
    }
    CHECK(seen.size() == 5);
}

__global__ void rotate_twice(const int* x, int* out) {
    int* tile = glassbox::dynamic_shared<int>();
    const unsigned t = threadIdx.x, n = blockDim.x;
    tile[t] = x[t];
    const int sum = __syncthreads_count(x[t] % 2 == 0);
    const int moved = tile[(t + 1) % n];
    __syncthreads();
    tile[t] = moved;
    __syncthreads();
    out[t] = tile[(t + 1) % n] + 1000 * sum;
}

TEST_CASE("dynamic shared memory and counting barriers, in a block that is not a multiple of a warp") {
    const FreshDevice device;
    std::vector<int> x(75), expected(75);
    for (int i = 0; i < 75; ++i) x[i] = 3 * i;
    for (int i = 0; i < 75; ++i) expected[i] = 3 * ((i + 2) % 75) + 1000 * 38;
    int* out = on_device(std::vector<int>(75));
    REQUIRE(launch(1, 75, 75 * sizeof(int), nullptr, rotate_twice, on_device(x), out) == cudaSuccess);
    CHECK(on_host(out, 75) == expected);
}

__global__ void lanes(double* down, int* picked, unsigned* ballot, float* up) {
    const int lane = static_cast<int>(threadIdx.x);
    down[lane] = __shfl_down_sync(0xffffffffu, static_cast<double>(lane), 3);
    picked[lane] = __shfl_sync(0xffffffffu, lane, 5, 8);
    ballot[lane] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    up[lane] = __shfl_up_sync(0xffffffffu, static_cast<float>(lane), 2, 16);
}

TEST_CASE("shuffles and ballots move values as in CUDA, also in parts of a warp") {
    const FreshDevice device;
    double* down = on_device(std::vector<double>(32));
    int* picked = on_device(std::vector<int>(32));
    unsigned* ballot = on_device(std::vector<unsigned>(32));
    float* up = on_device(std::vector<float>(32));
    REQUIRE(launch(1, 32, 0, nullptr, lanes, down, picked, ballot, up) == cudaSuccess);
    const auto downs = on_host(down, 32);
    const auto picks = on_host(picked, 32);
    const auto ups = on_host(up, 32);
    for (int lane = 0; lane < 32; ++lane) {
        CHECK(downs[lane] == (lane + 3 < 32 ? lane + 3 : lane));
        CHECK(picks[lane] == lane / 8 * 8 + 5);
        CHECK(ups[lane] == static_cast<float>(lane % 16 < 2 ? lane : lane - 2));
    }
    CHECK(on_host(ballot, 32) == std::vector<unsigned>(32, 0x49249249u));
}

__global__ void where_am_i(int* seen, int* order) {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    order[block * threads + thread] = atomicAdd(&seen[0], 1);
}

TEST_CASE("every thread of every block runs once, in an order determined by the seed") {
    std::set<std::vector<int>> orders;
    for (std::uint64_t seed : {1, 1, 2}) {
        const FreshDevice device(seed);
        int* order = on_device(std::vector<int>(30 * 70, -1));
        REQUIRE(launch(dim3(5, 3, 2), dim3(7, 5, 2), 0, nullptr, where_am_i, on_device(std::vector<int>(1)),
                       order) == cudaSuccess);
        const std::vector<int> places = on_host(order, 30 * 70);
        CHECK(std::set<int>(places.begin(), places.end()).size() == 30 * 70);
        CHECK(*std::min_element(places.begin(), places.end()) == 0);
        CHECK_FALSE(std::is_sorted(places.begin(), places.end()));
        orders.insert(places);
    }
    CHECK(orders.size() == 2);
}

}  // namespace
