#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// C (…, m, n) = A (…, m, k) · B (…, k, n). Leading axes broadcast. Transposes and slices are not copied.
[[nodiscard]] Tensor matmul(const Tensor& A, const Tensor& B);
// The shape of C, from the shapes alone. Throws the errors of matmul.
Shape matmul_shape(const Tensor& A, const Tensor& B);

}  // namespace glassbox
