#include "cli/memory.h"

// For systems without address space limits.
void glassbox::tracer::reserve_address_space() {}
