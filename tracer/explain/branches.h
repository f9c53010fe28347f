#pragma once
#include <cstddef>

#include <glassbox/observe/trace.h>

namespace tracer {

// Which way each relu, abs, clip, max and min of a traced computation went, as one number. While it stays the
// same the computation has no kink.
std::size_t branches(const glassbox::Trace& trace);

}  // namespace tracer
