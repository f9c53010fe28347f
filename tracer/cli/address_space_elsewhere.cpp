#include "cli/address_space.h"

// For systems without address space limits.
void tracer::find_room() {}
