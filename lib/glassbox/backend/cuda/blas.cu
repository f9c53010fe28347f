#include <glassbox/backend/cuda/blas.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include <glassbox/backend/cuda/check_cublas.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/backend/products.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {
namespace {

constexpr index_t max_int = std::numeric_limits<int>::max();
constexpr index_t most_at_once = 65535;  // products of a batch

// The library's handle, in the one stream. Its workspace is given once and for all: cuBLAS then asks for none
// while a graph is recorded, and cuts up a product in the same way every time.
class Blas {
  public:
    Blas() {
        constexpr std::size_t bytes = std::size_t{32} << 20;  // what cuBLAS itself would take on a Hopper
        check(cublasCreate(&handle_), "cublas");
        check(cublasSetStream(handle_, current_stream()), "cublas");
        check(cublasSetWorkspace(handle_, memory(Device::cuda).allocate(bytes), bytes), "cublas");
    }
    cublasHandle_t handle() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

// Never destroyed: at the program's end CUDA may be gone before it.
cublasHandle_t handle() {
    static const Blas* const blas = new Blas;
    return blas->handle();
}
std::mutex one_at_a_time;  // a handle is not for two threads at once

bool has_adjacent_rows(const Factor& x) {
    return (x.col == 1 || x.cols <= 1) && (x.rows <= 1 || (x.row >= x.cols && x.row <= max_int));
}

Factor transposed(const Factor& x) { return {x.data, x.type, x.cols, x.rows, x.col, x.row}; }

struct Layout {
    cublasOperation_t operation;
    int leading;
};

// cuBLAS writes a matrix column by column. What lies row by row is the transpose of that, so it is asked for
// Cᵀ = Bᵀ Aᵀ, of which nothing needs to be turned.
Layout layout(const Factor& x) {
    if (has_adjacent_rows(x))
        return {CUBLAS_OP_N, static_cast<int>(x.rows <= 1 ? std::max<index_t>(x.cols, 1) : x.row)};
    return {CUBLAS_OP_T, static_cast<int>(x.cols <= 1 ? std::max<index_t>(x.rows, 1) : x.col)};
}

// All that the three ways of asking for a product have in common.
struct Request {
    Request(const Factor& a, const Factor& b)
        : m(static_cast<int>(a.rows)),
          n(static_cast<int>(b.cols)),
          k(static_cast<int>(a.cols)),
          of_a(layout(a)),
          of_b(layout(b)),
          type(a.type) {}

    cublasComputeType_t compute() const {
        if (sizeof(real) == sizeof(double)) return CUBLAS_COMPUTE_64F_PEDANTIC;
        if (type == CUDA_R_16BF) return CUBLAS_COMPUTE_32F;
        return products() == Products::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC;
    }

    int m, n, k;
    Layout of_a, of_b;
    cudaDataType_t type;
    cudaDataType_t result = sizeof(real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
    real one = 1, zero = 0;  // C = one · A B + zero · C, and C is not read
};

}  // namespace

bool is_blas_ready(const Factor& x) {
    if (x.rows > max_int || x.cols > max_int) return false;
    return has_adjacent_rows(x) || has_adjacent_rows(transposed(x));
}

void gemm(const Op& op, const Factor& a, const Factor& b, real* c, const Run& run) {
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const Request r(a, b);
    if (run.count == 1)
        return check(cublasGemmEx(handle(), r.of_b.operation, r.of_a.operation, r.n, r.m, r.k, &r.one, b.data,
                                  r.type, r.of_b.leading, a.data, r.type, r.of_a.leading, &r.zero, c,
                                  r.result, r.n, r.compute(), CUBLAS_GEMM_DEFAULT),
                     op);
    for (index_t first = 0; first < run.count; first += most_at_once) {
        const int some = static_cast<int>(std::min(most_at_once, run.count - first));
        check(cublasGemmStridedBatchedEx(handle(), r.of_b.operation, r.of_a.operation, r.n, r.m, r.k, &r.one,
                                         b.at(first * run.b_step), r.type, r.of_b.leading, run.b_step,
                                         a.at(first * run.a_step), r.type, r.of_a.leading, run.a_step,
                                         &r.zero, c + first * run.c_step, r.result, r.n, run.c_step, some,
                                         r.compute(), CUBLAS_GEMM_DEFAULT),
              op);
    }
}

void gemm(const Op& op, const Factor& a, const Factor& b, const Places& places, index_t count) {
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const Request r(a, b);
    for (index_t first = 0; first < count; first += most_at_once) {
        const int some = static_cast<int>(std::min(most_at_once, count - first));
        check(cublasGemmBatchedEx(handle(), r.of_b.operation, r.of_a.operation, r.n, r.m, r.k, &r.one,
                                  places.b + first, r.type, r.of_b.leading, places.a + first, r.type,
                                  r.of_a.leading, &r.zero, places.c + first, r.result, r.n, some, r.compute(),
                                  CUBLAS_GEMM_DEFAULT),
              op);
    }
}

}  // namespace glassbox
