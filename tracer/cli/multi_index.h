#pragma once
#include <string>
#include <vector>

#include <glassbox/tensor/shape.h>

namespace tracer {

using glassbox::index_t;

// Conversion between an element's multi-index (one index per axis) and its row-major linear index.
index_t linear_of(const glassbox::Shape& shape, const std::vector<index_t>& place);
std::vector<index_t> place_of(const glassbox::Shape& shape, index_t linear);
std::string shown_place(const std::vector<index_t>& place);  // "[0,1]"

}  // namespace tracer
