// The emulated device's memory can be read here without synchronisation.
#include <glassbox/backend/backend.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>

#include <cstdlib>

#include "support/catch.h"

using namespace glassbox;

TEST_CASE("after waiting for the device its results are visible") {
    const Tensor a = Tensor::full({1000}, 2, Device::cuda), b = Tensor::full({1000}, 3, Device::cuda);
    const Tensor y = a * b;  // no memory is freed here: under the sanitizer that would synchronise
    if (!std::getenv("CUDA_LAUNCH_BLOCKING")) CHECK_FALSE(y.data()[999] == 6);
    backend(Device::cuda).wait();
    CHECK(y.data()[0] == 6);
    CHECK(y.data()[999] == 6);
}

TEST_CASE("there is nothing to wait for on the cpu") {
    backend(Device::cpu).wait();
    CHECK(memory(Device::cpu).use().in_use == 0);
}
