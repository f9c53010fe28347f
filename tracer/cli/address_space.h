#pragma once

namespace tracer {

// To be called at the start. With a limited address space (ulimit -v), reduces the number of threads to what
// fits, or exits with a message when there is too little to start.
void reserve_address_space();

}  // namespace tracer
