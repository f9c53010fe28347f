#pragma once
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

namespace glassbox_test {

// Of its steps, in order.
inline std::vector<std::string> paths(const glassbox::Trace& trace) {
    std::vector<std::string> all;
    for (const glassbox::Trace::Step& step : trace.steps()) all.push_back(step.path);
    return all;
}

}  // namespace glassbox_test
