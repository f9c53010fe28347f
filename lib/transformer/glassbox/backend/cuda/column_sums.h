#pragma once
#include <glassbox/backend/cuda/check.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// sums_j = Σ_i x_ij of a matrix with any strides, in an order that depends only on its shape.
void column_sums(const Op& op, const ConstView& x, real* sums);

}  // namespace glassbox
