#pragma once
#include <glassbox/tensor/tensor.h>

namespace tracer {

// A tensor of this shape that has no numbers of its own, every element being one 0: for what asks for shapes
// before the numbers are read. It must not be computed with.
inline glassbox::Tensor stand_in(const glassbox::Shape& shape) {
    return glassbox::Tensor(glassbox::real(0)).alias(shape, {});
}

}  // namespace tracer
