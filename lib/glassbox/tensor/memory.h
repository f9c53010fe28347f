#pragma once
#include <cstddef>

#include <glassbox/tensor/device.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

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
};

Memory& memory(Device device);  // throws Error when no backend has seated one
void set_memory(Device device, Memory* memory);

// The CPU's: a pool of size classes for each thread, because fresh pages cost more than the arithmetic.
Memory& cpu_memory();

}  // namespace glassbox
