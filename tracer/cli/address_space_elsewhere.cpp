#include "cli/address_space.h"

// For systems without address space limits.
void tracer::reserve_address_space() {}
