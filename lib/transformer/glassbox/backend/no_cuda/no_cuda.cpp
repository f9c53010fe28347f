#include <glassbox/backend/backend.h>
#include <glassbox/backend/recording.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

namespace {
// Requesting the device is an error, never a silent fallback to the CPU.
[[noreturn]] void refuse() {
    fail(
        "device cuda: this build of Glassbox has no CUDA kernels; build it with GLASSBOX_CUDA=ON, or use the "
        "cpu");
}
}  // namespace

Backend* cuda_backend() { refuse(); }

Memory* cuda_memory() { refuse(); }

DeviceQueue cuda_queue() { refuse(); }

}  // namespace glassbox
