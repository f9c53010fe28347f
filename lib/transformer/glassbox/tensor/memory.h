#pragma once
#include <cstddef>

#include <glassbox/tensor/real.h>

namespace glassbox {

// A program's use of a device's memory, in bytes. Blocks count with their allocated size, which may be up to
// a quarter more than was requested.
struct MemoryUse {
    std::size_t in_use = 0;       // by tensors, and by kernels during a call
    std::size_t peak_in_use = 0;  // the maximum of in_use since the start or the last reset_peak_use()
    std::size_t held = 0;         // allocated from the device: in use or cached for reuse
};

// A device's allocator for tensors, with the copies to and from the host. A backend registers its own with
// set_memory; the CPU's pool is registered from the start.
class Memory {
  public:
    virtual ~Memory() = default;
    // 64-byte aligned, uninitialised. Throws OutOfMemory, a device's memory an Error.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* block, std::size_t bytes) noexcept = 0;
    virtual void to_host(void* host, const void* block, std::size_t bytes) = 0;
    virtual void from_host(void* block, const void* host, std::size_t bytes) = 0;
    virtual void fill(real* block, real value, index_t count) = 0;

    // All 0 on the CPU, where the operating system keeps these figures.
    virtual MemoryUse use() { return {}; }
    virtual void reset_peak_use() {}  // resets peak_in_use to in_use
};

Memory& memory(Device device);  // throws Error when no backend has registered one
void set_memory(Device device, Memory* memory);

// The CPU's allocator: a pool of size classes per thread, because page faults on fresh memory cost more than
// the arithmetic.
Memory& cpu_memory();

}  // namespace glassbox
