#include "explain/step_named.h"

#include <glassbox/tensor/format.h>

#include <algorithm>
#include <vector>

#include "cli/nearest.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

namespace {

std::string listed(const std::vector<std::string>& names) {
    const std::size_t most = 24;
    if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + most, ", "),
                       names.size());
}

}  // namespace

std::string step_named(const glassbox::Trace& trace, const std::string& name, const std::string& option) {
    if (trace.contains(name)) return name;
    std::vector<std::string> paths, so_ended, known;
    for (const auto& step : trace.steps()) {
        paths.push_back(step.path);
        if (!name.empty() && step.path.ends_with("/" + name)) so_ended.push_back(step.path);
    }
    if (so_ended.size() == 1) return so_ended[0];
    if (so_ended.size() > 1)
        fail<UsageError>("{}: several steps end in '{}': {}", option, name, listed(so_ended));
    known = paths;
    for (const std::string& path : paths) known.push_back(path.substr(path.rfind('/') + 1));
    fail<UsageError>("{}: no step '{}'; the steps are {}{}", option, name, listed(paths),
                     did_you_mean(name, known));
}

}  // namespace tracer
