#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// (y − t)², element by element, for y and target of equal shape. Its mean is the mean squared error.
Tensor squared_error(const Tensor& y, const Tensor& target);

}  // namespace glassbox
