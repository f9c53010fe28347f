#pragma once
#include <optional>
#include <vector>

#include <glassbox/observe/trace.h>

namespace tracer {

using glassbox::index_t;
using glassbox::real;
using glassbox::Tensor;
using glassbox::Trace;

// One element of a tensor.
struct Element {
    Tensor tensor;
    std::vector<index_t> at;
    real value() const { return tensor.at(at); }
};

// The source element of a view, a broadcast or a concatenation.
Element by_address(const Element& y, const Tensor& x);  // by memory address: both share one storage
Element broadcast_from(const std::vector<index_t>& at, const Tensor& x);  // the element repeated at `at`
Element part_of_concat(const Element& y, const glassbox::Operation& op);

// The source element where `op`, which made y's tensor, only moves numbers; nullopt where it computes.
std::optional<Element> below_view(const Element& y, const glassbox::Operation& op);

}  // namespace tracer
