#include "cli/address_space.h"

// For systems on which nobody limits an address space.
void tracer::find_room() {}
