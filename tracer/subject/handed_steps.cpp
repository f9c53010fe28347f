#include "subject/handed_steps.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace tracer {

using glassbox::HandedIn;

namespace {

std::string plain(std::string name) {
    for (char& c : name)
        if (c == '.' || c == '_') c = '/';
    return name;
}

// The path of the only step that the name may mean; "" if there is none.
std::string path_of(const std::string& name, const std::vector<std::string>& paths) {
    if (std::find(paths.begin(), paths.end(), name) != paths.end()) return name;
    std::string found;
    for (const std::string& path : paths) {
        if (plain(path) != plain(name) && !path.ends_with("/" + name)) continue;
        if (!found.empty()) return "";
        found = path;
    }
    return found;
}

}  // namespace

HandedSteps steps_of(const std::vector<HandedIn>& arrays, const glassbox::Trace& trace,
                     const std::string& result, const std::vector<std::string>& not_steps,
                     const std::string& file) {
    std::vector<std::string> paths;
    for (const auto& step : trace.steps())
        if (step.info) paths.push_back(step.path);
    HandedSteps handed;
    for (const HandedIn& each : arrays) {
        std::string path = each.step.empty() ? result : path_of(each.step, paths);
        const bool is_known = std::find(not_steps.begin(), not_steps.end(), each.step) != not_steps.end();
        if (path.empty() && arrays.size() == 1) {
            path = result;
            handed.remarks.push_back(fmt::format("{} is taken as {}, the result", each.step, result));
        }
        if (path.empty()) {
            if (!is_known)
                handed.remarks.push_back(fmt::format("{} is no step, and is left out{}", each.step,
                                                     did_you_mean(each.step, paths)));
            continue;
        }
        const bool is_double = std::any_of(handed.steps.begin(), handed.steps.end(),
                                           [&](const HandedIn& other) { return other.step == path; });
        if (is_double) glassbox::fail<glassbox::FileError>("{}: two arrays for the step {}", file, path);
        handed.steps.push_back({path, each.value, each.half_width});
    }
    if (handed.steps.empty())
        glassbox::fail<glassbox::FileError>("{}: none of its arrays is a step; the steps are: {}", file,
                                            fmt::join(paths, ", "));
    return handed;
}

}  // namespace tracer
