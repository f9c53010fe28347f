#include <glassbox/backend/cuda/cuda_backend.h>

#include <glassbox/backend/cuda/gpu.h>

namespace glassbox {

Backend* cuda_backend() {
    require_gpu();
    static CudaBackend instance;
    return &instance;
}

}  // namespace glassbox
