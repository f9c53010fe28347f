#include <glassbox/backend/cuda/cuda_backend.h>

#include <glassbox/backend/cuda/gpu.h>
#include <glassbox/backend/cuda/stream.h>

namespace glassbox {

void CudaBackend::wait() {
    Recording::refuse("waiting for the GPU");
    main_stream().wait();
}

Backend* cuda_backend() {
    require_gpu();
    static CudaBackend instance;
    return &instance;
}

}  // namespace glassbox
