#include <glassbox/backend/cuda/gpu.h>

#include <cuda_runtime.h>

#include <string>

#include <glassbox/tensor/errors.h>

namespace glassbox {

void require_gpu() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return;
    static_cast<void>(cudaGetLastError());
    const std::string reason = status == cudaSuccess ? "there is none" : cudaGetErrorString(status);
    throw Error("device cuda: no NVIDIA GPU can be used here: " + reason +
                "; see what nvidia-smi says, or use the cpu");
}

}  // namespace glassbox
