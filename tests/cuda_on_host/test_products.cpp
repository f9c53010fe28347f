#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "kernel_test.h"

using namespace glassbox_test;

namespace {

struct Sizes {
    int m, n, k;
};
constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};

template <typename T>
std::vector<T> random_numbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> numbers(count);
    for (T& x : numbers) x = uniform(generator);
    return numbers;
}

// Element (i, j) of a column-major matrix or of its transpose.
template <typename T>
double element(const T* x, cublasOperation_t operation, int leading, int i, int j) {
    return operation == CUBLAS_OP_N ? x[j * leading + i] : x[i * leading + j];
}

// By loops, in double.
template <typename T>
std::vector<T> expected_product(const Sizes& s, cublasOperation_t op_a, cublasOperation_t op_b, double alpha,
                                const T* a, int lda, const T* b, int ldb, double beta, std::vector<T> c,
                                int ldc) {
    for (int j = 0; j < s.n; ++j)
        for (int i = 0; i < s.m; ++i) {
            double sum = 0;
            for (int l = 0; l < s.k; ++l) sum += element(a, op_a, lda, i, l) * element(b, op_b, ldb, l, j);
            T& to = c[static_cast<std::size_t>(j * ldc + i)];
            to = static_cast<T>(alpha * sum + (beta == 0 ? 0 : beta * to));
        }
    return c;
}

template <typename T>
double distance(const std::vector<T>& x, const std::vector<T>& y) {
    double most = x.size() == y.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i)
        most =
            std::isnan(x[i]) != std::isnan(y[i]) ? INFINITY : std::fmax(most, std::fabs(double(x[i]) - y[i]));
    return most;
}

struct Blas : FreshDevice {
    Blas() { REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS); }
    ~Blas() { cublasDestroy(handle); }
    cublasHandle_t handle = nullptr;
};

template <typename T>
constexpr cudaDataType type_of = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
template <typename T>
constexpr cublasComputeType_t exact = sizeof(T) == 8 ? CUBLAS_COMPUTE_64F_PEDANTIC
                                                     : CUBLAS_COMPUTE_32F_PEDANTIC;

// Leading dimensions larger than necessary, and a C filled with NaN where nothing may be written.
template <typename T>
void check_gemm(double tolerance) {
    const Sizes s = {5, 7, 3};
    const int lda = 9, ldb = 8, ldc = 6;
    const std::vector<T> a = random_numbers<T>(9 * 9, 1), b = random_numbers<T>(8 * 8, 2);
    for (const auto op_a : operations)
        for (const auto op_b : operations)
            for (const double beta : {0.0, 0.5}) {
                Blas blas;
                std::vector<T> c(ldc * 7, beta == 0 ? T(NAN) : T(2));
                T* out = on_device(c);
                const T alpha = T(1.5), of_c = T(beta);
                REQUIRE(cublasGemmEx(blas.handle, op_a, op_b, s.m, s.n, s.k, &alpha, on_device(a), type_of<T>,
                                     lda, on_device(b), type_of<T>, ldb, &of_c, out, type_of<T>, ldc,
                                     exact<T>, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
                CHECK(distance(on_host(out, c.size()), expected_product(s, op_a, op_b, 1.5, a.data(), lda,
                                                                        b.data(), ldb, beta, c, ldc)) <
                      tolerance);
            }
}

TEST_CASE("products equal loops, for every transpose, in float and in double") {
    check_gemm<float>(1e-6);
    check_gemm<double>(1e-14);
}

TEST_CASE("batches equal single products: strided, repeated with stride 0, and by arrays of pointers") {
    const Sizes s = {4, 3, 5};
    const std::vector<float> a = random_numbers<float>(4 * 5, 3), b = random_numbers<float>(3 * 15, 4);
    std::vector<float> expected;
    for (int i = 0; i < 3; ++i)
        for (float x : expected_product(s, CUBLAS_OP_N, CUBLAS_OP_T, 1, a.data(), 4, b.data() + i * 15, 3, 0,
                                        std::vector<float>(12), 4))
            expected.push_back(x);
    Blas blas;
    const float one = 1, zero = 0;
    const float *A = on_device(a), *B = on_device(b);
    float* C = on_device(std::vector<float>(36));
    REQUIRE(cublasSgemmStridedBatched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 3, 5, &one, A, 4, 0, B, 3, 15,
                                      &zero, C, 4, 12, 3) == CUBLAS_STATUS_SUCCESS);
    CHECK(distance(on_host(C, 36), expected) < 1e-6);

    float* D = on_device(std::vector<float>(36));
    const void** As = on_device(std::vector<const void*>{A, A, A});
    const void** Bs = on_device(std::vector<const void*>{B, B + 15, B + 30});
    void** Ds = on_device(std::vector<void*>{D, D + 12, D + 24});
    REQUIRE(cublasGemmBatchedEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 3, 5, &one, As, CUDA_R_32F, 4, Bs,
                                CUDA_R_32F, 3, &zero, Ds, CUDA_R_32F, 4, 3, CUBLAS_COMPUTE_32F_PEDANTIC,
                                CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    CHECK(on_host(D, 36) == on_host(C, 36));
}

// x · 1, computed as a product of one row and one column.
float times_one(float x, cublasComputeType_t compute, cublasMath_t mode = CUBLAS_DEFAULT_MATH) {
    Blas blas;
    REQUIRE(cublasSetMathMode(blas.handle, mode) == CUBLAS_STATUS_SUCCESS);
    const float one = 1, zero = 0;
    float* c = on_device(std::vector<float>(1));
    REQUIRE(cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one,
                         on_device(std::vector<float>{x}), CUDA_R_32F, 1, on_device(std::vector<float>{1}),
                         CUDA_R_32F, 1, &zero, c, CUDA_R_32F, 1, compute,
                         CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    return on_host(c, 1)[0];
}

TEST_CASE("fast modes round their inputs: to 10 bits, to 7, to half; exact ones do not") {
    const float x = 1.0f + 0x1p-8f + 0x1p-10f + 0x1p-12f;
    CHECK(times_one(x, CUBLAS_COMPUTE_32F_PEDANTIC) == x);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F) == x);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F_FAST_TF32) == 1.0f + 0x1p-8f + 0x1p-10f);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F, CUBLAS_TF32_TENSOR_OP_MATH) == 1.0f + 0x1p-8f + 0x1p-10f);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_TF32_TENSOR_OP_MATH) == x);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F_FAST_16BF) == 1.0f + 0x1p-7f);
    CHECK(times_one(x, CUBLAS_COMPUTE_32F_FAST_16F) == 1.0f + 0x1p-8f + 0x1p-10f);
    CHECK(times_one(1e6f, CUBLAS_COMPUTE_32F_FAST_16F) == INFINITY);
}

TEST_CASE("inputs may be bfloat16, summed in float") {
    Blas blas;
    const float one = 1, zero = 0;
    const std::uint16_t* x = on_device(std::vector<std::uint16_t>{0x3fc0, 0xc000});  // 1.5, −2
    float* c = on_device(std::vector<float>(1));
    REQUIRE(cublasGemmEx(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one, x, CUDA_R_16BF, 2, x,
                         CUDA_R_16BF, 2, &zero, c, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    CHECK(on_host(c, 1)[0] == 6.25f);
}

TEST_CASE("products that cuBLAS would reject are rejected, and matrices not on the device are detected") {
    Blas blas;
    const float one = 1, zero = 0;
    std::vector<float> host(4, 1);
    float* x = on_device(host);
    const auto gemm = [&](const float* a, int lda, int k) {
        return cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, k, &one, a, lda, x, 2, &zero, x, 2);
    };
    CHECK(gemm(x, 1, 2) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(gemm(x, 2, -1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, CUDA_R_32F, 1, x, CUDA_R_64F,
                       1, &zero, x, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasSetWorkspace(blas.handle, host.data(), 16) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(gemm(x, 2, 2) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(gemm(x + 1, 2, 2) == CUBLAS_STATUS_SUCCESS);  // beyond the end: detected when it runs
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(gemm(x, 2, 2) == CUBLAS_STATUS_EXECUTION_FAILED);
}

}  // namespace
