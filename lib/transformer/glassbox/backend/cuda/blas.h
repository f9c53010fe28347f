#pragma once
#include <cublas_v2.h>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// "matmul (3, 2) × (2, 4) on cuda: the library failed to initialize"
inline void check(cublasStatus_t status, const Op& op) {
    if (status != CUBLAS_STATUS_SUCCESS) fail_on_cuda(op, cublasGetStatusString(status));
}

// An operand for cuBLAS: element (i, j) is `i * row + j * col` elements of `type` after `data`.
struct Factor {
    const void* data;
    cudaDataType_t type;
    index_t rows, cols;
    index_t row, col;  // strides

    const void* at(index_t elements) const {
        const std::size_t size = type == CUDA_R_16BF ? 2 : sizeof(real);
        return static_cast<const char*>(data) + static_cast<std::size_t>(elements) * size;
    }
};

// Whether one of the two strides is 1, the other at least as large as the extent of the contiguous axis, and
// everything fits in an int. The strides of axes of size 1 are ignored.
bool is_blas_ready(const Factor& x);

// C (m × n, contiguous) = A (m × k) · B (k × n) for `count` pairs. Consecutive matrices are a_step, b_step
// (0 repeats one matrix) and c_step elements apart.
struct BatchSteps {
    index_t count = 1, a_step = 0, b_step = 0, c_step = 0;
};
void gemm(const Op& op, const Factor& a, const Factor& b, real* c, const BatchSteps& batch = {});

// The same for matrices at arbitrary addresses: `count` pointers each, in GPU memory. Sizes, strides and type
// are those of a and b.
struct BatchPointers {
    const void* const* a;
    const void* const* b;
    void* const* c;
};
void gemm(const Op& op, const Factor& a, const Factor& b, const BatchPointers& pointers, index_t count);

// c (…, m, n) = a (…, m, k) · b (…, k, n) with cuBLAS, in the precision of set_products(); the leading axes
// of a and b are broadcast to c's, and c is contiguous.
void product(const Op& op, const ConstView& a, const ConstView& b, const View& c);

// x with its last two axes exchanged.
ConstView transposed(const ConstView& x);

// All rows of x (…, n), over all leading axes, as one matrix (rows, n): in place if possible, else copied to
// `buffer`.
ConstView all_rows(const Op& op, const ConstView& x, GpuScratch<real>& buffer);

}  // namespace glassbox
