#include "explain/tensor_element.h"

#include <algorithm>
#include <string_view>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

Element by_address(const Element& y, const Tensor& x) {
    index_t offset = y.tensor.data() - x.data();
    for (int axis = 0; axis < y.tensor.rank(); ++axis)
        offset += y.at[static_cast<std::size_t>(axis)] * y.tensor.strides()[static_cast<std::size_t>(axis)];
    std::vector<int> axes;
    for (int axis = 0; axis < x.rank(); ++axis)
        if (x.size(axis) > 1) axes.push_back(axis);
    std::sort(axes.begin(), axes.end(), [&](int a, int b) {
        return x.strides()[static_cast<std::size_t>(a)] > x.strides()[static_cast<std::size_t>(b)];
    });
    std::vector<index_t> at(static_cast<std::size_t>(x.rank()), 0);
    for (int axis : axes) {
        const index_t stride = x.strides()[static_cast<std::size_t>(axis)];
        if (stride == 0) continue;
        at[static_cast<std::size_t>(axis)] = offset / stride;
        offset %= stride;
    }
    return {x, at};
}

Element broadcast_from(const std::vector<index_t>& at, const Tensor& x) {
    std::vector<index_t> result;
    for (int axis = 0; axis < x.rank(); ++axis) {
        const index_t i = at[at.size() - static_cast<std::size_t>(x.rank() - axis)];
        result.push_back(x.size(axis) == 1 ? 0 : i);
    }
    return {x, result};
}

Element part_of_concat(const Element& y, const Operation& op) {
    const std::size_t axis = static_cast<std::size_t>(op.axis());
    std::vector<index_t> at = y.at;
    for (const Tensor& part : op.inputs) {
        if (at[axis] < part.size(op.axis())) return {part, at};
        at[axis] -= part.size(op.axis());
    }
    return y;
}

std::optional<Element> below_view(const Element& y, const Operation& op) {
    const std::string_view name = op.op;
    if (name == "permute" || name == "slice" || name == "select") return by_address(y, op.inputs[0]);
    if (name == "contiguous") return Element{op.inputs[0], y.at};
    if (name == "broadcast_to") return broadcast_from(y.at, op.inputs[0]);
    if (name == "concat") return part_of_concat(y, op);
    if (name != "reshape") return std::nullopt;
    const Tensor& x = op.inputs[0];
    return Element{x, place_of(x.shape(), linear_of(y.tensor.shape(), y.at))};
}

index_t linear_of(const Shape& shape, const std::vector<index_t>& place) {
    index_t linear = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        linear = linear * shape[axis] + place[static_cast<std::size_t>(axis)];
    return linear;
}

std::vector<index_t> place_of(const Shape& shape, index_t linear) {
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

}  // namespace glassbox::tracer
