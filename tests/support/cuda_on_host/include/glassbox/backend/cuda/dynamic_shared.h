#pragma once
#include <cuda_runtime.h>

namespace glassbox {

// Replaces the library's header of the same name: the dynamic shared memory of the launch.
template <typename T>
T* dynamic_shared() {
    return static_cast<T*>(cuda_on_host::dynamic_shared_memory());
}

}  // namespace glassbox
