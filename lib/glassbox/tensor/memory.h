#pragma once
#include <cstddef>

#include <glassbox/tensor/device.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// What a program has of a device's memory, in bytes. Blocks count with the size they are handed out in, which
// may be up to a quarter more than was asked for.
struct MemoryUse {
    std::size_t in_use = 0;       // by tensors, and by kernels for the length of a call
    std::size_t most_in_use = 0;  // at once, since the start or the last forget_most()
    std::size_t held = 0;         // taken from the device: what is in use, and what is kept for reuse
};

// How a device hands out and takes back the memory of tensors, and how numbers get into it and back to the
// host. A backend seats its own with set_memory; the CPU's pool is seated from the start.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual void* allocate(
        std::size_t bytes) = 0;  // 64-byte aligned, uninitialised; throws Error when there is none
    virtual void release(void* block, std::size_t bytes) noexcept = 0;
    virtual void to_host(void* host, const void* block, std::size_t bytes) = 0;
    virtual void from_host(void* block, const void* host, std::size_t bytes) = 0;
    virtual void fill(real* block, real value, index_t count) = 0;

    // Counted where the memory is the device's own. The CPU's is the system's to count: all 0.
    virtual MemoryUse use() { return {}; }
    virtual void forget_most() {}  // most_in_use begins again, with what is in use now
};

Memory& memory(Device device);  // throws Error when no backend has seated one
void set_memory(Device device, Memory* memory);

// The CPU's: a pool of size classes for each thread, because fresh pages cost more than the arithmetic.
Memory& cpu_memory();

}  // namespace glassbox
