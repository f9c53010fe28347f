#pragma once
#include <vector>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// The indices of the element at flat index `at`, row-major.
std::vector<index_t> position_of(const Shape& shape, index_t at);

}  // namespace glassbox
