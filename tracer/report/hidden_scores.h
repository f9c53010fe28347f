#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// What a mask hid, found in the trace: 0 where a score is hidden, else 1, of the step's shape. For a step
// named masked and for the attention beside it; undefined for other steps and where no mask was applied.
glassbox::Tensor seen_in(const glassbox::Trace& trace, const std::string& path);

}  // namespace tracer
