#pragma once
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

// Whether a Trace or a Tape is recording this thread. If so, layers compute every step as written; otherwise
// they may call a fused op for the same result.
inline bool is_observed() { return Trace::current() || Tape::current(); }

}  // namespace glassbox
