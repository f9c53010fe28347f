#pragma once
#include <string>

#include <glassbox/tensor/errors.h>

namespace glassbox {

// A kernel's argument: passed by value, or, in a step that is recorded once and replayed, read from device
// memory when the kernel runs. (constexpr so that device code can call it.)
template <class T>
struct Live {
    T now{};
    const T* device_value = nullptr;  // in device memory; if set, read instead of `now`

    constexpr T value() const { return device_value ? *device_value : now; }
};

// A device's work queue, for a library that enqueues its own work between the kernels.
struct DeviceQueue {
    void* stream = nullptr;       // CUDA's
    std::string device;           // "GPU-6b1c…": identifies the GPU across processes
    int devices = 0;              // number of visible GPUs
    bool (*is_done)() = nullptr;  // whether all enqueued work is done; throws Error if any of it failed
};

// Defined in backend/cuda or backend/no_cuda, depending on the build. Throws Error when there is no GPU.
DeviceQueue cuda_queue();

// Recorded device work that can be replayed at the cost of one launch.
class Recording {
  public:
    virtual ~Recording() = default;
    virtual void run() = 0;

    // Whether this thread is recording: the kernels it calls do not run yet, so their results are not
    // available.
    static bool is_on();
    // Called by operations that wait for the device or copy to or from the host, which `what` names: throws
    // NotRecordable while this thread is recording.
    static void refuse(const char* what);

    // Marks this thread as recording during its lifetime; for the backend that records.
    class On {
      public:
        On();
        ~On();
        On(const On&) = delete;
        On& operator=(const On&) = delete;

      private:
        bool outer_;
    };
};

// The function to be recorded reads the device's numbers, so it can only be run kernel by kernel.
class NotRecordable : public Error {
  public:
    using Error::Error;
};

}  // namespace glassbox
