#pragma once
#include <glassbox/conventions/convention.h>

namespace tracer {

// A convention may fix d_ff, whatever is asked for: UsageError that says so when --dff asks for another.
void check_d_ff(const glassbox::Convention& convention, glassbox::index_t d_model, glassbox::index_t d_ff);

}  // namespace tracer
