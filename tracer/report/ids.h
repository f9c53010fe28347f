#pragma once
#include <set>
#include <vector>

#include <glassbox/observe/trace.h>

namespace tracer {

// Values, named or not, that index the rows of a table, and the labels of a loss: token ids and classes. They
// are integers and have no gradient.
std::set<glassbox::Tensor::Id> ids_in(const glassbox::Trace& trace);

// All that these values were computed from, themselves among them.
std::set<glassbox::Tensor::Id> behind(const glassbox::Trace& trace, std::vector<glassbox::Tensor> values);

}  // namespace tracer
