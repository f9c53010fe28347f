#pragma once
#include <cstddef>

#include <glassbox/observe/trace.h>

namespace tracer {

// A hash of the branch that each relu, abs, clip, max and min of a traced computation took. Between two runs
// with the same hash there is no kink.
std::size_t branches(const glassbox::Trace& trace);

}  // namespace tracer
