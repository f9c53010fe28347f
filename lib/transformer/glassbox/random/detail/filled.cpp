#include <glassbox/random/detail/filled.h>

#include <algorithm>

namespace glassbox::detail {

std::vector<Tensor> cut_of_one(Stream& stream, const std::vector<Shape>& shapes) {
    const bool is_one = std::all_of(shapes.begin(), shapes.end(),
                                    [&](const Shape& shape) { return shape == shapes.front(); });
    std::vector<Tensor> parts;
    if (shapes.empty() || !is_one) {
        for (const Shape& shape : shapes) parts.push_back(stream.normal(shape));
        return parts;
    }
    const Shape& shape = shapes.front();
    const index_t size = shape.numel();
    const Tensor all = stream.normal(Shape{static_cast<index_t>(shapes.size()), size});
    for (std::size_t i = 0; i < shapes.size(); ++i)
        parts.push_back(all.alias(shape, contiguous_strides(shape), static_cast<index_t>(i) * size));
    return parts;
}

}  // namespace glassbox::detail
