#include "support/devices.h"

#include <algorithm>
#include <string>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/memory.h>

#include "support/naive_backend.h"

namespace glassbox_test {

using namespace glassbox;

namespace {

// Empty when CUDA is available, else the reason why not.
const std::string& why_no_cuda() {
    static const std::string reason = []() -> std::string {
        try {
            backend(Device::cuda);
            memory(Device::cuda);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }();
    return reason;
}

std::vector<Device> find_devices() {
    static NaiveBackend oracle;
    set_backend(Device::oracle, &oracle);
    set_memory(Device::oracle, &cpu_memory());
    std::vector<Device> found = {Device::cpu, Device::oracle};
    if (why_no_cuda().empty()) found.push_back(Device::cuda);
    return found;
}

}  // namespace

const std::vector<Device>& devices() {
    static const std::vector<Device> found = find_devices();
    return found;
}

bool is_available(Device device) {
    const std::vector<Device>& found = devices();
    return std::find(found.begin(), found.end(), device) != found.end();
}

void run_on(Device device, void (*body)(Device)) {
    if (!is_available(device)) SKIP(why_no_cuda());
    body(device);
}

}  // namespace glassbox_test
