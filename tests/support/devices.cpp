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

// Empty when the device is available, else the reason why not.
std::string why_not(Device device) {
    try {
        backend(device);
        memory(device);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

std::vector<Device> find_devices() {
    static NaiveBackend oracle;
    set_backend(Device::oracle, &oracle);
    set_memory(Device::oracle, &cpu_memory());
    std::vector<Device> found = {Device::cpu, Device::oracle};
    for (const Device device : {Device::xtensor, Device::cuda})
        if (why_not(device).empty()) found.push_back(device);
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
    if (!is_available(device)) SKIP(why_not(device));
    body(device);
}

}  // namespace glassbox_test
