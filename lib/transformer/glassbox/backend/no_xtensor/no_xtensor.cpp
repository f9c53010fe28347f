#include <glassbox/backend/backend.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {
namespace {
[[noreturn]] void refuse() {
    fail(
        "device xtensor: this build of Glassbox has no xtensor kernels; build it with "
        "GLASSBOX_XTENSOR_BACKEND=ON, or use the cpu");
}
}  // namespace

Backend* xtensor_backend() { refuse(); }

Memory* xtensor_memory() { refuse(); }

}  // namespace glassbox
