// Statistics of the GPU's memory pool.
#include <algorithm>
#include <memory>

#include <glassbox/backend/backend.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/detail/size_class.h>
#include <glassbox/tensor/memory.h>

#include "support/catch.h"
#include "support/devices.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

MemoryUse now() { return memory(Device::cuda).use(); }

}  // namespace

TEST_CASE("the pool counts memory in use, its peak, and what it holds (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    Memory& gpu = memory(Device::cuda);
    gpu.reset_peak_use();
    const MemoryUse before = now();
    CHECK(before.peak_in_use == before.in_use);
    void* small = gpu.allocate(1000);  // a block of 1024
    void* large = gpu.allocate(3 << 20);
    const std::size_t both = 1024 + (3 << 20);
    CHECK(now().in_use == before.in_use + both);
    CHECK(now().held >= before.held);
    CHECK(now().held >= now().in_use);
    gpu.release(large, 3 << 20);
    CHECK(now().in_use == before.in_use + 1024);
    CHECK(now().peak_in_use == before.in_use + both);
    gpu.reset_peak_use();
    CHECK(now().peak_in_use == before.in_use + 1024);
    gpu.release(small, 1000);
    CHECK(now().in_use == before.in_use);
}

TEST_CASE("a recording's memory is held for its lifetime (cuda)") {
    if (!is_available(Device::cuda)) SKIP("no GPU");
    const Tensor x = Tensor::ones({1 << 10}, Device::cuda);
    Tensor y = Tensor::empty({1 << 10}, Device::cuda);
    const auto body = [&] {
        const Tensor three = x + x + x;
        backend(Device::cuda).copy(three.view(), y.writable());
    };
    body();
    backend(Device::cuda).wait();
    const MemoryUse before = now();
    {
        const std::unique_ptr<Recording> recording = backend(Device::cuda).record(body);
        REQUIRE(recording);
        CHECK(now().in_use == before.in_use);  // its blocks are reserved for the next run
        CHECK(now().held >= (now().in_use + 2 * (sizeof(real) << 10)));
    }
    CHECK(now().in_use == before.in_use);
}

TEST_CASE("a block's size class gives its size in bytes") {
    for (std::size_t bytes = 1; bytes < 5000; ++bytes) {
        const SizeClass block = size_class(bytes);
        CHECK(bytes_of_class(block.index) == block.bytes);
    }
    for (std::size_t power = 12; power < 40; ++power) {
        const SizeClass block = size_class((std::size_t{1} << power) + 1);
        CHECK(bytes_of_class(block.index) == block.bytes);
    }
}
