#include <glassbox/backend/cpu/gemm.h>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <atomic>
#include <limits>

#include <glassbox/backend/cpu/blas/blas.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr index_t max_int = std::numeric_limits<int>::max();
std::atomic<bool> has_multiplied{false};

// Each of our threads multiplies a chunk, so BLAS must not start its own threads.
void prepare_blas() {
    [[maybe_unused]] static const bool kernels_are_chosen = (blas::choose_kernels(instruction_set()), true);
    [[maybe_unused]] thread_local const bool has_one_thread = (blas::use_one_thread(), true);
}

// BLAS accepts contiguous rows, `leading` apart, and the transpose of that. The stride of an axis of length 1
// is never used, so it may be anything.
bool has_adjacent_rows(Matrix a, index_t rows, index_t cols) {
    return (a.col == 1 || cols <= 1) && (rows <= 1 || (a.row >= cols && a.row <= max_int));
}

struct Layout {
    cxxblas::Transpose transpose;
    int leading;
};

Layout layout(Matrix a, index_t rows, index_t cols) {
    if (has_adjacent_rows(a, rows, cols))
        return {cxxblas::NoTrans, static_cast<int>(rows == 1 ? cols : a.row)};
    return {cxxblas::Trans, static_cast<int>(cols == 1 ? rows : a.col)};
}

// The definition itself, for operands that BLAS does not accept.
void plain_gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c,
                index_t ldc) {
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            real sum = 0;
            for (index_t l = 0; l < k; ++l)
                sum += a.data[i * a.row + l * a.col] * b.data[l * b.row + j * b.col];
            real& entry = c[i * ldc + j];
            entry = alpha * sum + (beta == 0 ? real(0) : beta * entry);  // the old entry may be NaN
        }
}

}  // namespace

bool is_blas_ready(Matrix a, index_t rows, index_t cols) {
    if (rows > max_int || cols > max_int) return false;
    return has_adjacent_rows(a, rows, cols) || has_adjacent_rows({a.data, a.col, a.row}, cols, rows);
}

bool is_tiled(index_t m, index_t n, index_t k, Matrix a, Matrix b) {
    // Up to 256 rows count: a B that is our own for them is our own for any number of rows.
    const double work =
        static_cast<double>(std::min<index_t>(m, 256)) * static_cast<double>(n) * static_cast<double>(k);
    return work <= sizes().max_own && is_blas_ready(a, m, k) && is_blas_ready(b, k, n);
}

void gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c, index_t ldc) {
    if (m == 0 || n == 0) return;
    // BLAS does not read A and B if alpha is 0, and would ignore NaN in them.
    if (k == 0 || alpha == 0 || ldc > max_int || !is_blas_ready(a, m, k) || !is_blas_ready(b, k, n))
        return plain_gemm(m, n, k, alpha, a, b, beta, c, ldc);
    if ((beta != 0 && beta != 1) || !is_tiled(m, n, k, a, b))
        return blas_gemm(m, n, k, alpha, a, b, beta, c, ldc);
    tiled_product({m, n, k, alpha, a, b, nullptr, beta == 1, c, ldc});
}

void blas_gemm(index_t m, index_t n, index_t k, real alpha, Matrix a, Matrix b, real beta, real* c,
               index_t ldc) {
    const auto turn = turn_at_blas();
    const Layout layout_a = layout(a, m, k), layout_b = layout(b, k, n);
    cxxblas::gemm<int>(cxxblas::RowMajor, layout_a.transpose, layout_b.transpose, static_cast<int>(m),
                       static_cast<int>(n), static_cast<int>(k), alpha, a.data, layout_a.leading, b.data,
                       layout_b.leading, beta, c, static_cast<int>(std::max(ldc, n)));
}

std::unique_lock<std::mutex> turn_at_blas() {
    prepare_blas();
    has_multiplied.store(true, std::memory_order_relaxed);
    static std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (!blas_may_run_in_parallel()) lock.lock();
    return lock;
}

bool blas_has_multiplied() { return has_multiplied.load(std::memory_order_relaxed); }

bool blas_may_run_in_parallel() {
    static const bool may = blas::is_thread_safe();
    return may;
}

std::string blas_name() {
    prepare_blas();
    return blas::name();
}

std::string blas_core_name() {
    prepare_blas();
    return blas::kernels();
}

}  // namespace glassbox
