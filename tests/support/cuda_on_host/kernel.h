#pragma once
#include <cstdint>
#include <string>

#include "include/cuda_on_host/keywords.h"
#include "include/cuda_on_host/launch.h"

// Internal to the emulator. Callers hold the device's lock (device.h).
namespace cuda_on_host {

// Runs all blocks; returns the device's error when one fails.
cudaError_t run(const Kernel& kernel);

// Ends the running kernel with an error; called by one of its threads.
[[noreturn]] void fail_kernel(std::string what);

// Prints it to stderr, and stores it for last_fault().
void report_fault(const std::string& text);

// Random numbers that depend only on the seed.
class Shuffler {
  public:
    explicit Shuffler(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
    std::uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1dull;
    }
    unsigned below(unsigned n) { return static_cast<unsigned>(((next() >> 32) * n) >> 32); }

  private:
    std::uint64_t state_;
};

// The name of a function of this program (shared_memory.cpp), "?" if unknown.
std::string name_of(const void* function);

// Adds to the running block's static shared memory.
void use_static_shared(std::size_t bytes);

constexpr unsigned char garbage = 0xff;  // NaN as a float, −1 as an integer

}  // namespace cuda_on_host
