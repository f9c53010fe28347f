#pragma once
#include <cublas_v2.h>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// A matrix as cuBLAS reads it: element (i, j) lies `i * row + j * col` elements of `type` behind `data`.
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

// Whether one of the two strides is 1, the other at least as large as what it strides over, and all fits
// into an int. The strides of axes of one element do not count.
bool is_blas_ready(const Factor& x);

// C (m × n, gapless) = A (m × k) · B (k × n) for `count` pairs: the matrices lie a_step, b_step (0 repeats
// one) and c_step elements apart.
struct Run {
    index_t count = 1, a_step = 0, b_step = 0, c_step = 0;
};
void gemm(const Op& op, const Factor& a, const Factor& b, real* c, const Run& run = {});

// The same where each pair lies anywhere: `count` addresses each, on the GPU; a and b say sizes, strides and
// type.
struct Places {
    const void* const* a;
    const void* const* b;
    void* const* c;
};
void gemm(const Op& op, const Factor& a, const Factor& b, const Places& places, index_t count);

}  // namespace glassbox
