#include "cli/multi_index.h"

#include <glassbox/tensor/format.h>

namespace tracer {

index_t linear_of(const glassbox::Shape& shape, const std::vector<index_t>& place) {
    index_t linear = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        linear = linear * shape[axis] + place[static_cast<std::size_t>(axis)];
    return linear;
}

std::vector<index_t> place_of(const glassbox::Shape& shape, index_t linear) {
    std::vector<index_t> place(static_cast<std::size_t>(shape.rank()));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        place[static_cast<std::size_t>(axis)] = linear % shape[axis];
        linear /= shape[axis];
    }
    return place;
}

std::string shown_place(const std::vector<index_t>& place) {
    return fmt::format("[{}]", fmt::join(place, ","));
}

}  // namespace tracer
