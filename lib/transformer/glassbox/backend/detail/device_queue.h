#pragma once
#include <string>

namespace glassbox {

// A device's work queue, for a library that enqueues its own work between the kernels.
struct DeviceQueue {
    void* stream = nullptr;       // CUDA's
    std::string device;           // "GPU-6b1c…": identifies the GPU across processes
    int devices = 0;              // number of visible GPUs
    bool (*is_done)() = nullptr;  // whether all enqueued work is done; throws Error if any of it failed
};

// Defined in backend/cuda or backend/no_cuda, depending on the build. Throws Error when there is no GPU.
DeviceQueue cuda_queue();

}  // namespace glassbox
