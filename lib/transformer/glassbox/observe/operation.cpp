#include <glassbox/observe/trace.h>

#include <algorithm>
#include <vector>

#include <glassbox/tensor/format.h>

namespace glassbox {

bool Operation::has(std::string_view name) const {
    return std::any_of(settings.begin(), settings.end(),
                       [name](const Setting& each) { return each.name == name; });
}

double Operation::operator[](std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Setting& each : settings) {
        if (each.name == name) return each.value;
        names.emplace_back(each.name);
    }
    fail("{}: no setting '{}'; there {} {}", op, name, names.size() == 1 ? "is" : "are",
         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace glassbox
