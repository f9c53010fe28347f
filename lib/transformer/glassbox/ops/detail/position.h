#pragma once
#include <vector>

#include <glassbox/tensor/shape.h>

namespace glassbox::detail {

// The indices of the element at flat index `at`, row-major.
inline std::vector<index_t> position_of(const Shape& shape, index_t at) {
    std::vector<index_t> position = shape.to_vector();
    for (std::size_t axis = position.size(); axis-- > 0;) {
        const index_t size = position[axis];
        position[axis] = at % size, at /= size;
    }
    return position;
}

}  // namespace glassbox::detail
