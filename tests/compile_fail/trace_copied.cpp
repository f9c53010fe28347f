// error: Trace(const Trace&) = delete
#include <glassbox/glassbox.h>

using namespace glassbox;

Trace twice(const Trace& trace) { return trace; }
