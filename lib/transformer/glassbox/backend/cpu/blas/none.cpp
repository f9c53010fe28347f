#include <glassbox/backend/cpu/blas/blas.h>
#include <glassbox/backend/cpu/tiled_product.h>

#include <algorithm>
#include <type_traits>

// Without a BLAS: tiles also compute what gemm() would leave to it.
namespace glassbox::blas {

namespace {

constexpr int transposed = 112;  // CblasTrans

Matrix matrix(const real* data, int leading, int transpose) {
    return transpose == transposed ? Matrix{data, 1, leading} : Matrix{data, leading, 1};
}

}  // namespace

std::string name() { return "none"; }
std::string kernels() { return "nothing"; }
void choose_kernels(InstructionSet) {}
void use_one_thread() {}
bool is_thread_safe() { return true; }

template <class T>
void multiply(int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
              int ldb, T beta, T* c, int ldc) {
    if constexpr (std::is_same_v<T, real>) {  // the other one is not called
        for (index_t i = 0; beta != 0 && beta != 1 && i < m; ++i)
            std::for_each(c + i * ldc, c + i * ldc + n, [beta](real& entry) { entry *= beta; });
        tiled_product({m, n, k, alpha, matrix(a, lda, transpose_a), matrix(b, ldb, transpose_b), nullptr,
                       beta != 0, c, ldc});
    }
}

}  // namespace glassbox::blas

// The standard's functions, for row-major matrices.
extern "C" {
void cblas_sgemm(int, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    glassbox::blas::multiply(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc) {
    glassbox::blas::multiply(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}
