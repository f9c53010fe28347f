#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// C (…, m, n) = A (…, m, k) · B (…, k, n). Leading axes broadcast. Transposes and slices are not copied.
[[nodiscard]] Tensor matmul(const Tensor& A, const Tensor& B);
// The shape of C; throws as matmul does where A and B do not fit together. Numbers are not looked at.
Shape matmul_shape(const Tensor& A, const Tensor& B);

}  // namespace glassbox
