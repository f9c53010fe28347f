#include "cli/machine_memory.h"

#include <unistd.h>

namespace tracer {

double machine_memory() {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace tracer
