#pragma once
#include <cublas_v2.h>

#include <glassbox/backend/cuda/check.h>

namespace glassbox {

// "matmul (3, 2) × (2, 4) on cuda: the library failed to initialize"
inline void check(cublasStatus_t status, const Op& op) {
    if (status != CUBLAS_STATUS_SUCCESS) fail_on_cuda(op, cublasGetStatusString(status));
}

}  // namespace glassbox
