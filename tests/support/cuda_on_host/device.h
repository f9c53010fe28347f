#pragma once
#include <cstddef>
#include <functional>
#include <mutex>

#include "include/cuda_on_host/runtime.h"

// The device of this process, internal to the emulator.
namespace cuda_on_host {

// Every API call holds the device's lock, and so does a running kernel.
class Hold {
  public:
    Hold() : lock_(mutex()) {}

  private:
    static std::recursive_mutex& mutex();
    std::lock_guard<std::recursive_mutex> lock_;
};

constexpr std::size_t max_shared_by_default = 48 << 10, max_shared = 227 << 10;
constexpr int processors = 4;  // few, so that small tests have more blocks than fit concurrently
constexpr int threads_of_processor = 2048;

cudaError_t answer(cudaError_t error);  // also stores it for cudaGetLastError

// A kernel's sticky error: every later call fails with it.
cudaError_t fault();
void set_fault(cudaError_t error);
// No device, or a fault: the call does nothing else.
cudaError_t usable();

int current_device();  // of this thread

// ---- streams (stream.cpp)

// Work that runs later in stream order, or is recorded while the stream is being captured.
using Work = std::function<cudaError_t()>;
cudaError_t enqueue(cudaStream_t stream, Work work);
bool is_capturing(cudaStream_t stream);
bool is_of_current_device(cudaStream_t stream);  // created on it; CUDA's default streams belong to all
cudaError_t finish(cudaStream_t stream);         // runs all its work
cudaError_t finish_all();
// For calls not allowed during capture. A capture that involves the legacy stream is reported first.
cudaError_t check_no_capture(bool uses_legacy_stream);
void reset_streams();

// ---- memory (memory.cpp)

enum class Place { host, pinned, device };
// Where the bytes are, and whether they are within one allocation. Host memory is unknown, and always fits.
struct Where {
    Place place;
    bool fits;
};
Where where(const void* pointer, std::size_t bytes);
void reset_memory();

}  // namespace cuda_on_host
