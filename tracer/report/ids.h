#pragma once
#include <set>

#include <glassbox/observe/trace.h>

namespace tracer {

// Values, named or not, that index the rows of a table: token ids. They are integers and have no gradient.
std::set<glassbox::Tensor::Id> ids_in(const glassbox::Trace& trace);

}  // namespace tracer
