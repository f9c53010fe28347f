#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// (y − t)², element by element: y and target of one shape. Its mean is the mean squared error.
Tensor squared_error(const Tensor& y, const Tensor& target);

}  // namespace glassbox
