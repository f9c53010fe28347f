#pragma once
#include <glassbox/conventions/convention.h>

namespace tracer {

// Throws UsageError if the convention fixes d_ff and --dff is another.
void check_d_ff(const glassbox::Convention& convention, glassbox::index_t d_model, glassbox::index_t d_ff);

}  // namespace tracer
