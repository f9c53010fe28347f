#include <glassbox/backend/backend.h>

#include <array>
#include <atomic>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// From backend/cuda or backend/no_cuda, whichever this build holds; throws with the reason when there is
// none.
Backend* cuda_backend();

namespace {
using Seats = std::array<std::atomic<Backend*>, 3>;  // any thread may be the first to ask for a device
Seats& seats() {
    static Seats instance = {&cpu_backend(), nullptr, nullptr};
    return instance;
}
}  // namespace

Backend& backend(Device device) {
    Backend* seated = seats()[static_cast<std::size_t>(device)];
    if (!seated && device == Device::cuda) set_backend(device, seated = cuda_backend());
    if (!seated) fail("backend: device {} is not available in this program", name(device));
    return *seated;
}

void set_backend(Device device, Backend* backend) { seats()[static_cast<std::size_t>(device)] = backend; }

}  // namespace glassbox
