#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

// Controls of the emulator, for tests.
namespace cuda_on_host {

// Seed of the order of blocks and threads [default: GLASSBOX_CUDA_ON_HOST_SEED, else 1].
void set_seed(std::uint64_t seed);
// The number of devices, all visible [default: from the environment, device.cpp].
void set_devices(int count);
// The device's memory in bytes [default: 8 GiB].
void set_device_memory(std::size_t bytes);
// Description of the last kernel fault; also printed to stderr unless `quietly`.
const std::string& last_fault();
void report_faults_quietly(bool quietly);

// Synchronisations of all kernels since the last reset.
struct Meetings {
    std::uint64_t shuffles = 0;  // per warp
    std::uint64_t barriers = 0;  // per block
};
const Meetings& meetings();
void reset_meetings();

}  // namespace cuda_on_host
