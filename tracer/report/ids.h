#pragma once
#include <set>

#include <glassbox/observe/trace.h>

namespace tracer {

// Values that choose rows of a table, with and without a name: tokens. They are whole numbers: half a token
// does not exist, and nothing flows back to them.
std::set<glassbox::Tensor::Id> ids_in(const glassbox::Trace& trace);

}  // namespace tracer
