#pragma once
#include <cstdint>
#include <string>

#include "include/cuda_on_host/keywords.h"
#include "include/cuda_on_host/launch.h"

// Inside the emulator. Whoever calls holds the device (device.h).
namespace cuda_on_host {

// Runs all blocks; the error that the device is left with when one goes wrong.
cudaError_t run(const Kernel& kernel);

// Ends the kernel that runs: said by one of its threads.
[[noreturn]] void fail_kernel(std::string what);

// Says it on stderr, and keeps it for last_fault().
void report_fault(const std::string& text);

// Random numbers that only the seed decides.
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

// The name of a function of this program (shared_memory.cpp), "?" when it is unknown.
std::string name_of(const void* function);

// The block that runs has so many bytes of static shared memory more.
void use_static_shared(std::size_t bytes);

constexpr unsigned char garbage = 0xff;  // NaN as a number, −1 as a whole number

}  // namespace cuda_on_host
