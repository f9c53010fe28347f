#include <glassbox/backend/backend.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

Backend* xtensor_backend() {
    fail(
        "device xtensor: this build of Glassbox has no xtensor kernels; build it with "
        "GLASSBOX_XTENSOR_BACKEND=ON, or use the cpu");
}

}  // namespace glassbox
