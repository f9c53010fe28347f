#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// The mask that a step's scores were given, from the trace: 0 where a score is hidden, else 1, in the step's
// shape. For `masked` and the `attention` that follows; undefined for other steps and where there is no mask.
glassbox::Tensor seen_in(const glassbox::Trace& trace, const std::string& path);

}  // namespace tracer
