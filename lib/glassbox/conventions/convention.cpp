#include <glassbox/conventions/convention.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::vector<Convention> every_conventions();  // the files of sources/, collected by CMake

const std::vector<Convention>& conventions() {
    static const std::vector<Convention> all = [] {
        std::vector<Convention> found = every_conventions();
        std::sort(found.begin(), found.end(),
                  [](const Convention& a, const Convention& b) { return a.order < b.order; });
        return found;
    }();
    return all;
}

std::vector<std::string> convention_names() {
    std::vector<std::string> names;
    for (const Convention& each : conventions()) names.push_back(each.name);
    return names;
}

const Convention& convention(std::string_view name) {
    for (const Convention& each : conventions())
        if (each.name == name) return each;
    fail<UsageError>("convention: no convention '{}'; there are {}", name,
                     fmt::join(convention_names(), ", "));
}

}  // namespace glassbox
