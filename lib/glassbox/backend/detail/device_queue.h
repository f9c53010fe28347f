#pragma once
#include <string>

namespace glassbox {

// A device's queue of work, for a library that puts some of its own between the kernels.
struct DeviceQueue {
    void* stream = nullptr;       // CUDA's
    std::string device;           // "GPU-6b1c…": the same in all processes that use this very one
    int devices = 0;              // how many there are to choose from
    bool (*is_done)() = nullptr;  // whether all that was put in is done; throws Error when some of it failed
};

// From backend/cuda or backend/no_cuda, whichever this build holds. Throws Error when there is no GPU.
DeviceQueue cuda_queue();

}  // namespace glassbox
