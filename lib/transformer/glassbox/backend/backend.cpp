#include <glassbox/backend/backend.h>

#include <array>
#include <atomic>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// Defined in backend/cuda or no_cuda, and in backend/xtensor or no_xtensor, depending on the build. They
// throw with the reason if it is missing.
Backend* cuda_backend();
Backend* xtensor_backend();

namespace {
using Registry = std::array<std::atomic<Backend*>, 4>;  // by Device; atomic: any thread may use it first
Registry& registry() {
    static Registry instance = {&cpu_backend(), nullptr, nullptr, nullptr};
    return instance;
}
}  // namespace

Backend& backend(Device device) {
    Backend* registered = registry()[static_cast<std::size_t>(device)];
    if (!registered && device == Device::cuda) set_backend(device, registered = cuda_backend());
    if (!registered && device == Device::xtensor) set_backend(device, registered = xtensor_backend());
    if (!registered) fail("backend: device {} is not available in this program", name(device));
    return *registered;
}

void set_backend(Device device, Backend* backend) { registry()[static_cast<std::size_t>(device)] = backend; }

}  // namespace glassbox
