#include "include/cublas_v2.h"

#include <cblas.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "device.h"
#include "kernel.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
};

namespace cuda_on_host {
namespace {

// The precision to which inputs are rounded before multiplication.
enum class Precision { full, tf32, bf16, fp16 };

struct Matrix {
    const void* data;
    cudaDataType type;
    long long leading, step;  // step: the stride between matrices of a batch
    bool is_transposed;
};

struct Product {
    int m, n, k, count;
    Matrix a, b, c;
    bool is_listed;  // the data are arrays of pointers
    cublasComputeType_t compute;
    cublasPointerMode_t pointer_mode;
    const void *alpha, *beta;
    double alpha_value, beta_value;
    cublasMath_t mode;
};

std::size_t size_of(cudaDataType type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }

bool is_double(cublasComputeType_t compute) {
    return compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
}

Precision precision(const Product& p) {
    switch (p.compute) {
        case CUBLAS_COMPUTE_32F_FAST_TF32:
            return Precision::tf32;
        case CUBLAS_COMPUTE_32F_FAST_16BF:
            return Precision::bf16;
        case CUBLAS_COMPUTE_32F_FAST_16F:
            return Precision::fp16;
        case CUBLAS_COMPUTE_32F:
            return (p.mode & 3) == CUBLAS_TF32_TENSOR_OP_MATH ? Precision::tf32 : Precision::full;
        default:
            return Precision::full;
    }
}

// ---- rounding

// Rounds to nearest even, with this many fewer fraction bits.
float drop_bits(float x, int bits) {
    std::uint32_t word;
    std::memcpy(&word, &x, sizeof word);
    if ((word & 0x7f800000u) == 0x7f800000u) return x;  // infinity or NaN
    word += (std::uint32_t{1} << (bits - 1)) - 1 + ((word >> bits) & 1);
    word &= ~((std::uint32_t{1} << bits) - 1);
    std::memcpy(&x, &word, sizeof x);
    return x;
}

float half_to_float(std::uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                       : std::ldexp(static_cast<float>(fraction | 1024), exponent - 25);
    return half & 0x8000 ? -size : size;
}

float round_to_half(float x) {
    if (!std::isfinite(x) || x == 0) return x;
    int exponent;
    std::frexp(x, &exponent);
    const float unit = std::ldexp(1.0f, std::max(exponent - 11, -24));
    const float rounded = std::nearbyint(x / unit) * unit;
    return std::fabs(rounded) > 65504.0f ? std::copysign(INFINITY, rounded) : rounded;
}

float rounded(float x, Precision to) {
    switch (to) {
        case Precision::tf32:
            return drop_bits(x, 13);
        case Precision::bf16:
            return drop_bits(x, 16);
        case Precision::fp16:
            return round_to_half(x);
        case Precision::full:
            break;
    }
    return x;
}

float load(const void* data, std::size_t i, cudaDataType type) {
    if (type == CUDA_R_32F) return static_cast<const float*>(data)[i];
    const std::uint16_t word = static_cast<const std::uint16_t*>(data)[i];
    if (type == CUDA_R_16F) return half_to_float(word);
    const std::uint32_t bits = std::uint32_t(word) << 16;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// The matrix as floats, rounded to this precision.
std::vector<float> as_floats(const void* data, cudaDataType type, long long leading, int rows, int columns,
                             Precision to) {
    std::vector<float> copy(static_cast<std::size_t>(leading) * (columns > 0 ? columns : 0));
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) {
            const std::size_t at = static_cast<std::size_t>(j) * leading + i;
            copy[at] = rounded(load(data, at, type), to);
        }
    return copy;
}

// ---- the product

int rows(const Matrix& x, int first, int second) { return x.is_transposed ? second : first; }
int columns(const Matrix& x, int first, int second) { return x.is_transposed ? first : second; }

CBLAS_TRANSPOSE order(const Matrix& x) { return x.is_transposed ? CblasTrans : CblasNoTrans; }

void multiply(const Product& p, const double* a, const double* b, double* c) {
    cblas_dgemm(CblasColMajor, order(p.a), order(p.b), p.m, p.n, p.k, p.alpha_value, a,
                static_cast<int>(p.a.leading), b, static_cast<int>(p.b.leading), p.beta_value, c,
                static_cast<int>(p.c.leading));
}
void multiply(const Product& p, const float* a, const float* b, float* c) {
    cblas_sgemm(CblasColMajor, order(p.a), order(p.b), p.m, p.n, p.k, static_cast<float>(p.alpha_value), a,
                static_cast<int>(p.a.leading), b, static_cast<int>(p.b.leading),
                static_cast<float>(p.beta_value), c, static_cast<int>(p.c.leading));
}

void run_one(const Product& p, const void* a, const void* b, void* c) {
    if (p.c.type == CUDA_R_64F)
        return multiply(p, static_cast<const double*>(a), static_cast<const double*>(b),
                        static_cast<double*>(c));
    const Precision to = precision(p);
    if (to == Precision::full && p.a.type == CUDA_R_32F)
        return multiply(p, static_cast<const float*>(a), static_cast<const float*>(b),
                        static_cast<float*>(c));
    const std::vector<float> A =
        as_floats(a, p.a.type, p.a.leading, rows(p.a, p.m, p.k), columns(p.a, p.m, p.k), to);
    const std::vector<float> B =
        as_floats(b, p.b.type, p.b.leading, rows(p.b, p.k, p.n), columns(p.b, p.k, p.n), to);
    multiply(p, A.data(), B.data(), static_cast<float*>(c));
}

// ---- checks

bool is_on_device(const void* data, std::size_t bytes) {
    const Where at = where(data, bytes);
    return at.place == Place::device && at.fits;
}
std::size_t bytes_of(const Matrix& x, int rows, int columns) {
    if (rows == 0 || columns == 0) return 0;
    return (static_cast<std::size_t>(columns - 1) * x.leading + rows) * size_of(x.type);
}

bool has_sizes(const Product& p) {
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0) return false;
    return p.a.leading >= std::max(1, rows(p.a, p.m, p.k)) &&
           p.b.leading >= std::max(1, rows(p.b, p.k, p.n)) && p.c.leading >= std::max(1, p.m);
}

// The supported pairs of types, a subset of cuBLAS's.
bool has_types(const Product& p) {
    if (p.a.type != p.b.type) return false;
    if (is_double(p.compute)) return p.a.type == CUDA_R_64F && p.c.type == CUDA_R_64F;
    if (p.c.type != CUDA_R_32F || p.a.type == CUDA_R_64F) return false;
    if (p.compute == CUBLAS_COMPUTE_16F || p.compute == CUBLAS_COMPUTE_16F_PEDANTIC) return false;
    return p.a.type == CUDA_R_32F || p.compute == CUBLAS_COMPUTE_32F ||
           p.compute == CUBLAS_COMPUTE_32F_PEDANTIC;
}

const void* at(const Matrix& x, int i, bool is_listed) {
    if (is_listed) return static_cast<const void* const*>(x.data)[i];
    return static_cast<const char*>(x.data) + i * x.step * static_cast<long long>(size_of(x.type));
}

double scalar(const void* value, cublasComputeType_t compute) {
    return is_double(compute) ? *static_cast<const double*>(value) : *static_cast<const float*>(value);
}

cudaError_t run(Product p) {
    if (p.m == 0 || p.n == 0) return cudaSuccess;
    if (p.pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        p.alpha_value = scalar(p.alpha, p.compute);
        p.beta_value = scalar(p.beta, p.compute);
    }
    for (int i = 0; i < p.count; ++i) {
        const void *a = at(p.a, i, p.is_listed), *b = at(p.b, i, p.is_listed), *c = at(p.c, i, p.is_listed);
        if (!is_on_device(a, bytes_of(p.a, rows(p.a, p.m, p.k), columns(p.a, p.m, p.k))) ||
            !is_on_device(b, bytes_of(p.b, rows(p.b, p.k, p.n), columns(p.b, p.k, p.n))) ||
            !is_on_device(c, bytes_of(p.c, p.m, p.n))) {
            report_fault("cublas: a matrix of product " + std::to_string(i) +
                         " does not lie wholly in one allocation of the device");
            return cudaErrorIllegalAddress;
        }
        run_one(p, a, b, const_cast<void*>(c));
    }
    return cudaSuccess;
}

cublasStatus_t status_of(cudaError_t error) {
    return answer(error) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t put(cublasHandle_t handle, Product p) {
    const Hold hold;
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (usable() != cudaSuccess) return status_of(usable());
    if (!has_sizes(p) || !p.alpha || !p.beta) return CUBLAS_STATUS_INVALID_VALUE;
    if (!has_types(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const std::size_t list = static_cast<std::size_t>(p.count) * sizeof(void*);
    if (p.is_listed &&
        !(is_on_device(p.a.data, list) && is_on_device(p.b.data, list) && is_on_device(p.c.data, list))) {
        report_fault("cublas: a list of addresses is not on the device");
        set_fault(cudaErrorIllegalAddress);
        return status_of(fault());
    }
    p.mode = handle->mode;
    p.pointer_mode = handle->pointer_mode;
    if (p.pointer_mode == CUBLAS_POINTER_MODE_HOST) {
        p.alpha_value = scalar(p.alpha, p.compute);
        p.beta_value = scalar(p.beta, p.compute);
    }
    return status_of(enqueue(handle->stream, [p] { return run(p); }));
}

template <typename T>
constexpr cudaDataType type_of = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
template <typename T>
constexpr cublasComputeType_t compute_of = sizeof(T) == 8 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;

Product product(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                Matrix a, Matrix b, const void* beta, Matrix c, int count, cublasComputeType_t compute,
                bool is_listed = false) {
    a.is_transposed = op_a != CUBLAS_OP_N;
    b.is_transposed = op_b != CUBLAS_OP_N;
    return {m, n, k, count, a, b, c, is_listed, compute, {}, alpha, beta, 0, 0, {}};
}

}  // namespace
}  // namespace cuda_on_host

using namespace cuda_on_host;

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED:
            return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_ARCH_MISMATCH:
            return "CUBLAS_STATUS_ARCH_MISMATCH";
        case CUBLAS_STATUS_MAPPING_ERROR:
            return "CUBLAS_STATUS_MAPPING_ERROR";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_INTERNAL_ERROR:
            return "CUBLAS_STATUS_INTERNAL_ERROR";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        case CUBLAS_STATUS_LICENSE_ERROR:
            return "CUBLAS_STATUS_LICENSE_ERROR";
    }
    return "unrecognized status";
}
const char* cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "success";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "the library was not initialized";
        case CUBLAS_STATUS_ALLOC_FAILED:
            return "the resource allocation failed";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "an unsupported value or parameter was passed to the function";
        case CUBLAS_STATUS_ARCH_MISMATCH:
            return "the function requires an architectural feature absent from the device";
        case CUBLAS_STATUS_MAPPING_ERROR:
            return "an access to GPU memory space failed";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "the function failed to launch on the GPU";
        case CUBLAS_STATUS_INTERNAL_ERROR:
            return "an internal operation failed";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "the requested functionality is not supported";
        case CUBLAS_STATUS_LICENSE_ERROR:
            return "the license check failed";
    }
    return "unrecognized status";
}

// It allocates memory, which is not allowed during capture.
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    const Hold hold;
    *handle = nullptr;
    if (usable() != cudaSuccess || check_no_capture(false) != cudaSuccess)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
    *version = CUBLAS_VERSION;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

namespace {
template <typename T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*member, T value) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->*member = value;
    return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*member, T* value) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    *value = handle->*member;
    return CUBLAS_STATUS_SUCCESS;
}
}  // namespace

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    return set(handle, &cublasContext::mode, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get(handle, &cublasContext::mode, mode);
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    return set(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
    const Hold hold;
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0;
    return is_aligned && is_on_device(workspace, bytes) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

namespace {
template <typename T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                    int k, const T* alpha, const T* A, int lda, long long stride_a, const T* B, int ldb,
                    long long stride_b, const T* beta, T* C, int ldc, long long stride_c, int count) {
    return put(handle, product(op_a, op_b, m, n, k, alpha, {A, type_of<T>, lda, stride_a, {}},
                               {B, type_of<T>, ldb, stride_b, {}}, beta, {C, type_of<T>, ldc, stride_c, {}},
                               count, compute_of<T>));
}
}  // namespace

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                           int n, int k, const float* alpha, const float* A, int lda, const float* B, int ldb,
                           const float* beta, float* C, int ldc) {
    return gemm(handle, op_a, op_b, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);
}
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                           int n, int k, const double* alpha, const double* A, int lda, const double* B,
                           int ldb, const double* beta, double* C, int ldc) {
    return gemm(handle, op_a, op_b, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);
}
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k, const float* alpha,
                                         const float* A, int lda, long long stride_a, const float* B, int ldb,
                                         long long stride_b, const float* beta, float* C, int ldc,
                                         long long stride_c, int count) {
    return gemm(handle, op_a, op_b, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc,
                stride_c, count);
}
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k, const double* alpha,
                                         const double* A, int lda, long long stride_a, const double* B,
                                         int ldb, long long stride_b, const double* beta, double* C, int ldc,
                                         long long stride_c, int count) {
    return gemm(handle, op_a, op_b, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc,
                stride_c, count);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k, const void* alpha,
                                          const void* A, cudaDataType type_a, int lda, long long stride_a,
                                          const void* B, cudaDataType type_b, int ldb, long long stride_b,
                                          const void* beta, void* C, cudaDataType type_c, int ldc,
                                          long long stride_c, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
    return put(handle,
               product(op_a, op_b, m, n, k, alpha, {A, type_a, lda, stride_a, {}},
                       {B, type_b, ldb, stride_b, {}}, beta, {C, type_c, ldc, stride_c, {}}, count, compute));
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType type_a, int lda,
                            const void* B, cudaDataType type_b, int ldb, const void* beta, void* C,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, A, type_a, lda, 0, B, type_b, ldb,
                                      0, beta, C, type_c, ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                   int m, int n, int k, const void* alpha, const void* const A[],
                                   cudaDataType type_a, int lda, const void* const B[], cudaDataType type_b,
                                   int ldb, const void* beta, void* const C[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return put(handle, product(op_a, op_b, m, n, k, alpha, {A, type_a, lda, 0, {}}, {B, type_b, ldb, 0, {}},
                               beta, {C, type_c, ldc, 0, {}}, count, compute, true));
}
