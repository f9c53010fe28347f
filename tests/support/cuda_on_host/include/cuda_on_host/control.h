#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

// For tests of what runs on the emulator.
namespace cuda_on_host {

// The order in which blocks and threads run; else GLASSBOX_CUDA_ON_HOST_SEED, else 1.
void set_seed(std::uint64_t seed);
// How many devices there are, all of them visible; else as the environment says (device.cpp).
void set_devices(int count);
// How much memory the device has, in bytes; 8 GiB from the start.
void set_device_memory(std::size_t bytes);
// What the last kernel that went wrong did, in words; they go to stderr too unless `quietly`.
const std::string& last_fault();
void report_faults_quietly(bool quietly);

// What the threads of all kernels have waited for, since the last reset.
struct Meetings {
    std::uint64_t shuffles = 0;  // of a warp each
    std::uint64_t barriers = 0;  // of a block each
};
const Meetings& meetings();
void reset_meetings();

}  // namespace cuda_on_host
