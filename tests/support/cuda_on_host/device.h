#pragma once
#include <cstddef>
#include <functional>
#include <mutex>

#include "include/cuda_on_host/runtime.h"

// The device that this process works with: inside the emulator.
namespace cuda_on_host {

// Every call of the API holds the device; so does a kernel while it runs.
class Hold {
  public:
    Hold() : lock_(mutex()) {}

  private:
    static std::recursive_mutex& mutex();
    std::lock_guard<std::recursive_mutex> lock_;
};

constexpr std::size_t shared_without_asking = 48 << 10, shared_at_most = 227 << 10;
constexpr int processors = 4;  // few, so that small tests have more blocks than fit at once
constexpr int threads_of_processor = 2048;

cudaError_t answer(cudaError_t error);  // remembers it for cudaGetLastError

// What a kernel has broken: every later call fails with it.
cudaError_t fault();
void set_fault(cudaError_t error);
// No device, or a fault: then nothing else of a call is done.
cudaError_t usable();

int current_device();  // this thread's

// ---- streams (stream.cpp)

// Work that runs later, in the order of its stream, or is recorded where the stream is being captured.
using Work = std::function<cudaError_t()>;
cudaError_t enqueue(cudaStream_t stream, Work work);
bool is_capturing(cudaStream_t stream);
bool is_of_current_device(cudaStream_t stream);  // where it was made, and CUDA's own everywhere
cudaError_t finish(cudaStream_t stream);         // all its work is done
cudaError_t finish_all();
// For a call that a capture forbids. When the legacy stream takes part in it, that is said first.
cudaError_t check_no_capture(bool uses_legacy_stream);
void reset_streams();

// ---- memory (memory.cpp)

enum class Place { host, pinned, device };
// Where the bytes lie, and whether all of them lie in one allocation. The host's are not known, so they fit.
struct Where {
    Place place;
    bool fits;
};
Where where(const void* pointer, std::size_t bytes);
void reset_memory();

}  // namespace cuda_on_host
