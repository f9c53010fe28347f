#pragma once
#include <unistd.h>

namespace glassbox::tracer {

inline double machine_memory() {  // physical memory in bytes
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// To be called at the start. With a limited address space (ulimit -v), reduces the number of threads to what
// fits, or exits with a message when there is too little to start.
void reserve_address_space();

}  // namespace glassbox::tracer
