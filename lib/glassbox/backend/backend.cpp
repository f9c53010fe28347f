#include <glassbox/backend/backend.h>

#include <array>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// backend/cuda or backend/no_cuda, whichever this build holds; returns null, or throws with the reason.
Backend* cuda_backend();

namespace {
std::array<Backend*, 3>& seats() {
    static std::array<Backend*, 3> instance = {&cpu_backend(), nullptr, nullptr};
    return instance;
}
}  // namespace

Backend& backend(Device device) {
    Backend*& seat = seats()[static_cast<std::size_t>(device)];
    if (!seat && device == Device::cuda) seat = cuda_backend();
    if (!seat) fail("backend: device {} is not available in this program", name(device));
    return *seat;
}

void set_backend(Device device, Backend* backend) { seats()[static_cast<std::size_t>(device)] = backend; }

}  // namespace glassbox
