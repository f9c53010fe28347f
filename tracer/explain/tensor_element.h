#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/shape.h>

namespace glassbox::tracer {

// One element of a tensor.
struct Element {
    Tensor tensor;
    std::vector<index_t> at;
    real value() const { return tensor.at(at); }
};

// The source element of a view, a broadcast or a concatenation.
Element by_address(const Element& y, const Tensor& x);  // by memory address: both share one storage
Element broadcast_from(const std::vector<index_t>& at, const Tensor& x);  // the element repeated at `at`
Element part_of_concat(const Element& y, const Operation& op);

// The source element where `op`, which made y's tensor, only moves numbers; nullopt where it computes.
std::optional<Element> below_view(const Element& y, const Operation& op);

// Conversion between an element's multi-index (one index per axis) and its row-major linear index.
index_t linear_of(const Shape& shape, const std::vector<index_t>& place);
std::vector<index_t> place_of(const Shape& shape, index_t linear);
std::string shown_place(const std::vector<index_t>& place);  // "[0,1]"

}  // namespace glassbox::tracer
