// The kernels of products beside BLAS and beside the processor's peak, on one thread: bench/kernels [filter]
// GLASSBOX_CPU=avx2 measures a narrower path. Prints one table; GFLOP/s, and in parentheses the share of the
// peak.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/tensor/processor.h>

#include "measure.h"
#include "place.h"

using namespace glassbox;

namespace {

// Multiply-adds of registers only, as many at a time as a tile has.
constexpr Kernel multiply_adds = []<class Set>(Set, index_t count, real* out) {
    constexpr int n = Set::down * Set::across;
    Vector<Set> sum[n] = {}, factor, term;
    for (index_t j = 0; j < width<Set>; ++j) factor[j] = out[0], term[j] = out[1];
    for (int r = 0; r < n; ++r) sum[r] += static_cast<real>(r);  // all different, or one would do
    for (index_t i = 0; i < count; ++i) {
#pragma GCC unroll 32
        for (int r = 0; r < n; ++r) sum[r] = sum[r] * factor + term;
    }
    for (int r = 0; r < n; ++r) out[2] += sum[r][0];
    return static_cast<double>(count) * n * static_cast<double>(width<Set>) * 2;
};

double seconds_of(const std::function<void()>& work) { return time_of(0.05, work).min / 1e3; }

struct Size {
    index_t m, n, k;
};

}  // namespace

int main(int, char**) {
    return run_bench([&] {
        real out[3] = {real(0.5), real(0.25), 0};
        double flops = 0;
        const double peak_seconds = seconds_of([&] { flops = multiply_adds(20000, out); });
        const double peak = flops / peak_seconds / 1e9;
        std::printf("instructions %s, %s, peak %.1f GFLOP/s\n",
                    std::string(name_of(instruction_set())).c_str(),
                    (blas_name() + " " + blas_core_name()).c_str(), peak);
        std::printf("| m × n × k | | small | panel | BLAS |\n|---|---|---:|---:|---:|\n");
        for (const Size s : {Size{32, 32, 32}, Size{256, 96, 32}, Size{256, 32, 32}, Size{256, 32, 96},
                             Size{128, 128, 64}, Size{640, 256, 256}, Size{256, 512, 64}, Size{256, 64, 512},
                             Size{512, 512, 512}, Size{512, 2048, 512}, Size{512, 512, 2048},
                             Size{4096, 512, 512}, Size{1024, 1024, 1024}, Size{2048, 2048, 2048}})
            for (const char* layout : {"A B", "A Bᵀ", "Aᵀ B"}) {
                const std::string name = layout;
                std::vector<real> a(static_cast<std::size_t>(s.m * s.k), real(0.5)),
                    b(static_cast<std::size_t>(s.k * s.n), real(0.25)),
                    c(static_cast<std::size_t>(s.m * s.n));
                const Matrix A = name == "Aᵀ B" ? Matrix{a.data(), 1, s.m} : Matrix{a.data(), s.k, 1};
                const Matrix B = name == "A Bᵀ" ? Matrix{b.data(), 1, s.k} : Matrix{b.data(), s.n, 1};
                const double work = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k);
                const auto cell = [&](const std::function<void()>& run) {
                    const double rate = work / seconds_of(run) / 1e9;
                    std::printf(" %.0f (%.0f %%) |", rate, 100 * rate / peak);
                };
                std::printf("| %td × %td × %td | %s |", s.m, s.n, s.k, layout);
                if (work < 6e7)
                    cell([&] { small_product({s.m, s.n, s.k, 1, A, B, nullptr, false, c.data(), s.n}); });
                else std::printf(" |");
                cell([&] { panel_product({s.m, s.n, s.k, 1, A, B, nullptr, false, c.data(), s.n}); });
                cell([&] { blas_gemm(s.m, s.n, s.k, 1, A, B, 0, c.data(), s.n); });
                std::printf("\n");
                std::fflush(stdout);
            }
        return 0;
    });
}
