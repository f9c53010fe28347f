#include "cli/memory.h"

// For systems without address space limits.
void tracer::reserve_address_space() {}
