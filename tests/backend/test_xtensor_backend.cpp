// The xtensor backend, beyond what every device's tests ask of it.
#include <filesystem>
#include <fstream>
#include <string>

#include <glassbox/backend/backend.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/memory.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Hundredths of a second that this process's other threads have computed; 0 where the system does not say.
long time_of_other_threads() {
    const std::filesystem::path all = "/proc/self/task";
    const std::string own = std::filesystem::read_symlink("/proc/thread-self").filename();
    long sum = 0;
    for (const auto& thread : std::filesystem::directory_iterator(all)) {
        if (thread.path().filename() == own) continue;
        std::ifstream stat(thread.path() / "stat");
        std::string word;
        for (int i = 0; i < 14; ++i) stat >> word;  // the fourteenth is the time in user mode
        sum += std::stol(word);
    }
    return sum;
}

}  // namespace

TEST_CASE("a build without the xtensor backend says how to build with it") {
    if (is_available(Device::xtensor)) SKIP("this build has it");
    const std::string reason =
        "device xtensor: this build of Glassbox has no xtensor kernels; build it with "
        "GLASSBOX_XTENSOR_BACKEND=ON, or use the cpu";
    check_error([] { backend(Device::xtensor); }, reason);
    check_error([] { (void)Tensor{1}.to(Device::xtensor); }, reason);
}

TEST_CASE("xtensor's tensors are in the host's memory, and are other tensors than the cpu's (xtensor)") {
    if (!is_available(Device::xtensor)) SKIP("not built");
    const Tensor x = {1, 2, 3}, there = x.to(Device::xtensor);
    CHECK(&memory(Device::xtensor) == &cpu_memory());
    CHECK(there.device() == Device::xtensor);
    CHECK(there.data() != x.data());
    CHECK(there.data()[2] == 3);
    check_error([&] { (void)(x + there); }, "add: operands on two devices: cpu and xtensor");
}

TEST_CASE("xtensor's products are computed by the thread that asks, not by BLAS's own (xtensor)") {
    if (!is_available(Device::xtensor)) SKIP("not built");
    if (!std::filesystem::exists("/proc/thread-self")) SKIP("no /proc");
    Random random(1);
    const Tensor a = random.normal({800, 800}).to(Device::xtensor), product = matmul(a, a);
    const long before = time_of_other_threads();
    for (int i = 0; i < 10; ++i) check_close(matmul(a, a), product, exact, "the same bits");
    CHECK(time_of_other_threads() == before);
}

TEST_CASE("a product that BLAS cannot count is refused (xtensor)") {
    if (!is_available(Device::xtensor)) SKIP("not built");
    Tensor number = Tensor::ones({1}, Device::xtensor);
    const index_t many = index_t{1} << 31;
    const ConstView a{number.data(), {1, many}, {0, 0}}, b{number.data(), {many, 1}, {0, 0}};
    const View c{number.writable().data, {1, 1}, {1, 1}};
    check_error(
        [&] { backend(Device::xtensor).matmul(a, b, c); },
        "matmul on device xtensor: (1, 2147483648) × (2147483648, 1): BLAS counts to 2³¹ − 1; use the cpu");
}
