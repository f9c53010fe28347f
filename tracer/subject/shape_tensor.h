#pragma once
#include <glassbox/tensor/tensor.h>

namespace tracer {

// A tensor of this shape in which all elements alias a single 0. For checking shapes before the numbers are
// read; not for computation.
inline glassbox::Tensor shape_tensor(const glassbox::Shape& shape) {
    return glassbox::Tensor(glassbox::real(0)).alias(shape, {});
}

}  // namespace tracer
