#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>

namespace glassbox {

Shape matmul_shape(const Tensor& A, const Tensor& B) {
    if (A.rank() < 2 || B.rank() < 2)
        fail("matmul: needs at least 2 axes, got {} × {}", A.shape(), B.shape());
    if (A.size(-1) != B.size(-2)) fail("matmul: inner sizes differ: {} × {}", A.shape(), B.shape());
    const Shape batch =
        broadcast_shapes("matmul", A.shape().leading(A.rank() - 2), B.shape().leading(B.rank() - 2));
    return batch.with_appended(A.size(-2)).with_appended(B.size(-1));
}

// C = A B            ∂L/∂A = ∂L/∂C Bᵀ,  ∂L/∂B = Aᵀ ∂L/∂C
Tensor matmul(const Tensor& A, const Tensor& B) {
    const Device device = common_device("matmul", A, B);
    Tensor C = Tensor::empty(matmul_shape(A, B), device);
    backend(device).matmul(A.view(), B.view(), C.writable());
    return record("matmul", C, {&A, &B}, [A, B](const Tensor& dC) -> Tape::Gradients {
        return {sum_to(matmul(dC, transpose(B)), A.shape()), sum_to(matmul(transpose(A), dC), B.shape())};
    });
}

}  // namespace glassbox
