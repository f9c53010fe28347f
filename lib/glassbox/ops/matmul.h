#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// C (…, m, n) = A (…, m, k) · B (…, k, n). Leading axes broadcast. Transposes and slices are not copied.
Tensor matmul(const Tensor& A, const Tensor& B);

}  // namespace glassbox
