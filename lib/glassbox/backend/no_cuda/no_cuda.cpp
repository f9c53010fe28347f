#include <glassbox/backend/backend.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// This build has no CUDA: asking for the device is an error, never a silent run on the CPU.
Backend* cuda_backend() {
    fail("backend: this build has no CUDA; build one with nvcc on the PATH: cmake --preset cuda && "
         "cmake --build --preset cuda");
}

}  // namespace glassbox
