#pragma once
#include <optional>
#include <vector>

#include <glassbox/observe/trace.h>

namespace tracer {

using glassbox::index_t;
using glassbox::real;
using glassbox::Tensor;
using glassbox::Trace;

// One number of one tensor.
struct Element {
    Tensor tensor;
    std::vector<index_t> at;
    real value() const { return tensor.at(at); }
};

// The same number where a view, a broadcast or a concatenation took it from.
Element by_address(const Element& y, const Tensor& x);                    // both look at one storage
Element broadcast_from(const std::vector<index_t>& at, const Tensor& x);  // what is repeated at `at`
Element part_of_concat(const Element& y, const glassbox::Operation& op);

// One step down where `op`, which made y's tensor, moved numbers about and computed none; else nothing.
std::optional<Element> below_view(const Element& y, const glassbox::Operation& op);

}  // namespace tracer
