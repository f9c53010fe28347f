#include <cuda_runtime.h>

#include <cstdio>
#include <string>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/backend/recording.h>

namespace glassbox {

namespace {

// As nvidia-smi -L writes it: "GPU-" and 32 digits, in groups of 8, 4, 4, 4 and 12.
std::string name_of_gpu(const cudaDeviceProp& properties) {
    std::string name = "GPU";
    for (int i = 0; i < 16; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) name += '-';
        name += digits;
    }
    return name;
}

bool is_done() {
    const cudaError_t status = cudaStreamQuery(current_stream());
    if (status == cudaErrorNotReady) {
        static_cast<void>(cudaGetLastError());  // not an error
        return false;
    }
    check(status, "waiting for the kernels before");
    return true;
}

}  // namespace

DeviceQueue cuda_queue() {
    DeviceQueue queue;
    queue.stream = current_stream();
    int gpu = 0;
    check(cudaGetDevice(&gpu), "gpu");
    check(cudaGetDeviceCount(&queue.devices), "gpu");
    cudaDeviceProp properties = {};
    check(cudaGetDeviceProperties(&properties, gpu), "gpu");
    queue.device = name_of_gpu(properties);
    queue.is_done = is_done;
    return queue;
}

}  // namespace glassbox
