#pragma once
#include <cuda_runtime.h>

namespace glassbox {

// In the place of the library's own header, which says it in CUDA: the shared memory that the launch asked
// for.
template <typename T>
T* dynamic_shared() {
    return static_cast<T*>(cuda_on_host::dynamic_shared_memory());
}

}  // namespace glassbox
