#pragma once
#include <vector>

#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/real.h>

#include "support/catch.h"

namespace glassbox_test {

// All available devices: the cpu, the naive oracle, which this registers, xtensor if built, and cuda if built
// and present.
const std::vector<glassbox::Device>& devices();

bool is_available(glassbox::Device device);

// Calls the body, or skips the test with the reason where the device is not available.
void run_on(glassbox::Device device, void (*body)(glassbox::Device));

// Sets the number of threads for a scope.
class Threads {
  public:
    explicit Threads(int count) : before_(glassbox::num_threads()) { glassbox::set_num_threads(count); }
    ~Threads() { glassbox::set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

  private:
    int before_;
};

}  // namespace glassbox_test

// One body, a test case for each device; those of unavailable devices are skipped.
//     DEVICE_TEST("softmax: rows sum to 1") { … uses `device` … }
#define DEVICE_TEST(name) DEVICE_TEST_AT_(name, __COUNTER__)
#define DEVICE_TEST_AT_(name, count) DEVICE_TEST_COUNT_(name, count)  // expands __COUNTER__ first
#define DEVICE_TEST_COUNT_(name, count) DEVICE_TEST_NAMED_(name, device_test_##count)
#define DEVICE_TEST_NAMED_(name, body)                                                       \
    static void body(glassbox::Device device);                                               \
    TEST_CASE(name " (cpu)") { glassbox_test::run_on(glassbox::Device::cpu, body); }         \
    TEST_CASE(name " (oracle)") { glassbox_test::run_on(glassbox::Device::oracle, body); }   \
    TEST_CASE(name " (xtensor)") { glassbox_test::run_on(glassbox::Device::xtensor, body); } \
    TEST_CASE(name " (cuda)") { glassbox_test::run_on(glassbox::Device::cuda, body); }       \
    static void body([[maybe_unused]] glassbox::Device device)
