#include <glassbox/backend/cpu/gemm.h>

#include <dlfcn.h>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>

#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/tensor/processor.h>

// OpenBLAS's extensions of the BLAS standard.
extern "C" {
void openblas_set_num_threads(int count);
int openblas_get_parallel();  // 0 serial, 1 its own threads, 2 OpenMP
char* openblas_get_corename();
#ifdef __ELF__
// In builds for many processors (DYNAMIC_ARCH).
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
#endif
}

namespace glassbox {

namespace {

constexpr index_t max_int = std::numeric_limits<int>::max();

// How OpenBLAS chooses its kernels; null in builds for one processor.
struct KernelChoice {
    void (*quit)();
    void (*init)();
};

KernelChoice kernel_choice() {
#ifdef __ELF__
    return {gotoblas_dynamic_quit, gotoblas_dynamic_init};
#else  // macOS's linker refuses an undefined symbol, even a weak one
    const auto found = [](const char* name) {
        return reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, name));
    };
    return {found("gotoblas_dynamic_quit"), found("gotoblas_dynamic_init")};
#endif
}

// The oldest processors that have them, by OpenBLAS's names.
const char* core_with(InstructionSet set) {
#if defined(__aarch64__)
    static_cast<void>(set);
    return "ARMV8";
#else
    return set == InstructionSet::avx2 ? "Haswell" : "Prescott";
#endif
}

// OpenBLAS has chosen its kernels by itself when it was loaded: a smaller instruction set that was asked for
// is chosen as if the environment had named it then.
void take_kernels_of(InstructionSet set) {
    const auto [quit, init] = kernel_choice();
    if (set == best_instruction_set() || std::getenv("OPENBLAS_CORETYPE") || !quit || !init) return;
    setenv("OPENBLAS_CORETYPE", core_with(set), 1);
    quit();
    init();
    unsetenv("OPENBLAS_CORETYPE");
}

// Each of our threads multiplies a chunk, so BLAS must not start threads of its own. OpenMP builds keep this
// setting per thread, the others per process.
void prepare_blas() {
    static const bool has_kernels = [] {
        take_kernels_of(instruction_set());
        return true;
    }();
    static_cast<void>(has_kernels);
    thread_local const bool done = [] {
        openblas_set_num_threads(1);
        return true;
    }();
    static_cast<void>(done);
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
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return work <= max_own_work && is_blas_ready(a, m, k) && is_blas_ready(b, k, n);
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
    prepare_blas();
    static std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (!blas_may_run_in_parallel()) lock.lock();

    const Layout layout_a = layout(a, m, k), layout_b = layout(b, k, n);
    cxxblas::gemm<int>(cxxblas::RowMajor, layout_a.transpose, layout_b.transpose, static_cast<int>(m),
                       static_cast<int>(n), static_cast<int>(k), alpha, a.data, layout_a.leading, b.data,
                       layout_b.leading, beta, c, static_cast<int>(std::max(ldc, n)));
}

bool blas_may_run_in_parallel() {
    static const bool is_threaded = openblas_get_parallel() != 0;
    return is_threaded;
}

const char* blas_core_name() {
    prepare_blas();
    return openblas_get_corename();
}

}  // namespace glassbox
