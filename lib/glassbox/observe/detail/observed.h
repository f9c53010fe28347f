#pragma once
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

// Whether a Trace or a Tape listens to this thread: then every step is computed as it is written, else a
// layer may take a shorter way to the same numbers.
inline bool is_observed() { return Trace::current() || Tape::current(); }

}  // namespace glassbox
