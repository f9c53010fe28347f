#pragma once
#include <glassbox/tensor/shape.h>

namespace glassbox {

// A tensor as backends see it: pointer, shape and strides. Non-owning.
struct ConstView {
    const real* data = nullptr;
    Shape shape;
    Strides strides{};

    bool contiguous() const { return is_contiguous(shape, strides); }
    // The same numbers, broadcast to another shape.
    ConstView broadcast_to(const Shape& to) const {
        if (shape == to) return *this;
        return {data, to, broadcast_strides(shape, strides, to)};
    }
};

struct View {
    real* data = nullptr;
    Shape shape;
    Strides strides{};

    bool contiguous() const { return is_contiguous(shape, strides); }
    operator ConstView() const { return {data, shape, strides}; }
};

}  // namespace glassbox
