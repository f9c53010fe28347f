#pragma once
#include <vector>

#include <glassbox/tensor/shape.h>

namespace glassbox {

// The indices of the `at`-th element in row-major order.
std::vector<index_t> position_of(const Shape& shape, index_t at);

}  // namespace glassbox
