#include <glassbox/backend/cuda/blas.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/gpu.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

namespace {

constexpr index_t max_int = std::numeric_limits<int>::max();
constexpr index_t max_batch = 65535;  // products per call

// The library's handle, on the main stream. Its workspace is set once: cuBLAS then allocates none while a
// graph is being recorded, and splits a product in the same way every time.
class Blas {
  public:
    Blas() {
        constexpr std::size_t bytes = std::size_t{32} << 20;  // cuBLAS's own default on Hopper
        check(cublasCreate(&handle_), "cublas");
        check(cublasSetStream(handle_, current_stream()), "cublas");
        check(cublasSetWorkspace(handle_, memory(Device::cuda).allocate(bytes), bytes), "cublas");
    }
    cublasHandle_t handle() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

// Never destroyed: CUDA may be shut down first at program exit.
cublasHandle_t handle() {
    use_gpu();  // in this thread, which may not have called CUDA yet
    static const Blas* const blas = new Blas;
    return blas->handle();
}
std::mutex handle_mutex;  // the handle must not be used by two threads at the same time

bool has_adjacent_rows(const Factor& x) {
    return (x.col == 1 || x.cols <= 1) && (x.rows <= 1 || (x.row >= x.cols && x.row <= max_int));
}

Factor transposed(const Factor& x) { return {x.data, x.type, x.cols, x.rows, x.col, x.row}; }

struct Layout {
    cublasOperation_t operation;
    int leading;
};

// cuBLAS is column-major, and a row-major matrix is the transpose of a column-major one. So it computes
// Cᵀ = Bᵀ Aᵀ, and nothing has to be transposed.
Layout layout(const Factor& x) {
    if (has_adjacent_rows(x))
        return {CUBLAS_OP_N, static_cast<int>(x.rows <= 1 ? std::max<index_t>(x.cols, 1) : x.row)};
    return {CUBLAS_OP_T, static_cast<int>(x.cols <= 1 ? std::max<index_t>(x.rows, 1) : x.col)};
}

// The arguments common to all three product calls.
struct Request {
    Request(const Factor& a, const Factor& b)
        : m(static_cast<int>(a.rows)),
          n(static_cast<int>(b.cols)),
          k(static_cast<int>(a.cols)),
          layout_a(layout(a)),
          layout_b(layout(b)),
          type(a.type) {}

    cublasComputeType_t compute() const {
        if (sizeof(real) == sizeof(double)) return CUBLAS_COMPUTE_64F_PEDANTIC;
        if (type == CUDA_R_16BF) return CUBLAS_COMPUTE_32F;
        return products() == Products::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC;
    }

    int m, n, k;
    Layout layout_a, layout_b;
    cudaDataType_t type;
    cudaDataType_t result = sizeof(real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
    real one = 1, zero = 0;  // C = one · A B + zero · C, and C is not read
};

}  // namespace

bool is_blas_ready(const Factor& x) {
    if (x.rows > max_int || x.cols > max_int) return false;
    return has_adjacent_rows(x) || has_adjacent_rows(transposed(x));
}

void gemm(const Op& op, const Factor& a, const Factor& b, real* c, const BatchSteps& batch) {
    const std::lock_guard<std::mutex> lock(handle_mutex);
    const Request r(a, b);
    if (batch.count == 1)
        return check(cublasGemmEx(handle(), r.layout_b.operation, r.layout_a.operation, r.n, r.m, r.k, &r.one,
                                  b.data, r.type, r.layout_b.leading, a.data, r.type, r.layout_a.leading,
                                  &r.zero, c, r.result, r.n, r.compute(), CUBLAS_GEMM_DEFAULT),
                     op);
    for (index_t first = 0; first < batch.count; first += max_batch) {
        const int some = static_cast<int>(std::min(max_batch, batch.count - first));
        check(cublasGemmStridedBatchedEx(handle(), r.layout_b.operation, r.layout_a.operation, r.n, r.m, r.k,
                                         &r.one, b.at(first * batch.b_step), r.type, r.layout_b.leading,
                                         batch.b_step, a.at(first * batch.a_step), r.type, r.layout_a.leading,
                                         batch.a_step, &r.zero, c + first * batch.c_step, r.result, r.n,
                                         batch.c_step, some, r.compute(), CUBLAS_GEMM_DEFAULT),
              op);
    }
}

void gemm(const Op& op, const Factor& a, const Factor& b, const BatchPointers& pointers, index_t count) {
    const std::lock_guard<std::mutex> lock(handle_mutex);
    const Request r(a, b);
    for (index_t first = 0; first < count; first += max_batch) {
        const int some = static_cast<int>(std::min(max_batch, count - first));
        check(cublasGemmBatchedEx(handle(), r.layout_b.operation, r.layout_a.operation, r.n, r.m, r.k, &r.one,
                                  pointers.b + first, r.type, r.layout_b.leading, pointers.a + first, r.type,
                                  r.layout_a.leading, &r.zero, pointers.c + first, r.result, r.n, some,
                                  r.compute(), CUBLAS_GEMM_DEFAULT),
              op);
    }
}

}  // namespace glassbox
