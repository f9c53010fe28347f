#pragma once
#include <vector>

#include <glassbox/tensor/device.h>

#include "support/catch.h"

namespace glassbox_test {

// Every device that is there: the cpu, the naive oracle, which is seated here, and cuda in a build that has
// it on a machine that has it.
const std::vector<glassbox::Device>& devices();

bool is_there(glassbox::Device device);

// Calls the body, or ends the test as skipped, with the reason, when the device is not there.
void run_on(glassbox::Device device, void (*body)(glassbox::Device));

}  // namespace glassbox_test

// One body, one test case for each device; those of an absent device are skipped, and counted as skipped.
//     DEVICE_TEST("softmax: rows sum to 1") { … uses `device` … }
#define DEVICE_TEST(name) DEVICE_TEST_AT_(name, __LINE__)
#define DEVICE_TEST_AT_(name, line) DEVICE_TEST_LINE_(name, line)  // so that __LINE__ becomes its number
#define DEVICE_TEST_LINE_(name, line) DEVICE_TEST_NAMED_(name, device_test_##line)
#define DEVICE_TEST_NAMED_(name, body)                                                     \
    static void body(glassbox::Device device);                                             \
    TEST_CASE(name " (cpu)") { glassbox_test::run_on(glassbox::Device::cpu, body); }       \
    TEST_CASE(name " (oracle)") { glassbox_test::run_on(glassbox::Device::oracle, body); } \
    TEST_CASE(name " (cuda)") { glassbox_test::run_on(glassbox::Device::cuda, body); }     \
    static void body([[maybe_unused]] glassbox::Device device)
