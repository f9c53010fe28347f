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
    const std::size_t max_names = 24;
    if (names.size() <= max_names) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + max_names, ", "),
                       names.size());
}

}  // namespace

std::string step_named(const glassbox::Trace& trace, const std::string& name, const std::string& option) {
    if (trace.contains(name)) return name;
    std::vector<std::string> paths, matches, known;
    for (const auto& step : trace.steps()) {
        paths.push_back(step.path);
        if (!name.empty() && step.path.ends_with("/" + name)) matches.push_back(step.path);
    }
    if (matches.size() == 1) return matches[0];
    if (matches.size() > 1)
        fail<UsageError>("{}: several steps end in '{}': {}", option, name, listed(matches));
    known = paths;
    for (const std::string& path : paths) known.push_back(path.substr(path.rfind('/') + 1));
    fail<UsageError>("{}: no step '{}'; the steps are {}{}", option, name, listed(paths),
                     did_you_mean(name, known));
}

}  // namespace tracer
