// From which sizes on a second thread, packing, and BLAS pay: the numbers of backend/cpu/sizes.cpp, for the
// instruction set in use, which GLASSBOX_CPU chooses. Prints a line of that table, and before it what it was
// taken from. Wants two idle cores.
//     sizes [--seconds 0.02]     of each measurement
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/backend/parallel.h>

#include "measure.h"
#include "place.h"

using namespace glassbox;

namespace {

double seconds = 0.02;

// A product whose operands are stored as rows or as columns.
struct Product {
    index_t m, n, k;
    std::vector<real> a, b, c;
    Matrix A, B;
    Product(index_t m_, index_t n_, index_t k_, const std::string& layout)
        : m(m_),
          n(n_),
          k(k_),
          a(static_cast<std::size_t>(m * k), real(0.5)),
          b(static_cast<std::size_t>(k * n), real(0.25)),
          c(static_cast<std::size_t>(m * n)),
          A(layout == "Aᵀ B" ? Matrix{a.data(), 1, m} : Matrix{a.data(), k, 1}),
          B(layout == "A Bᵀ" ? Matrix{b.data(), 1, k} : Matrix{b.data(), n, 1}) {}
    TiledProduct rows(index_t begin, index_t end) {
        return {end - begin,          n, k, 1, {A.data + begin * A.row, A.row, A.col}, B, nullptr, false,
                c.data() + begin * n, n};
    }
    std::pair<double, double> in_place_and_packed() {
        return {time_of(seconds, [&] { small_product(rows(0, m)); }).min,
                time_of(seconds, [&] { panel_product(rows(0, m)); }).min};
    }
};

// The smallest of rising sizes from which `other` takes at most `share` of the time of `one`, here and at all
// larger sizes.
template <class Size>
Size first_better(const char* what, const std::vector<Size>& sizes, double share,
                  const std::function<std::pair<double, double>(Size)>& times) {
    Size first = sizes.back();
    bool better = false;
    std::printf("%s:", what);
    for (const Size& size : sizes) {
        const auto [one, other] = times(size);
        std::printf(" %.3g %.2f", static_cast<double>(size), one / other);
        std::fflush(stdout);
        if (other <= share * one) first = better ? first : size, better = true;
        else better = false;
    }
    std::printf("\n");
    return first;
}

// Multiply–adds for each of two threads, where these are 1.6 times as fast as one: a sleeping worker is not.
double worth_a_thread() {
    const std::vector<index_t> rows{32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    return 0.5 * 64 * 64 *
           static_cast<double>(
               first_better<index_t>("rows of 64 × 64, one thread / two", rows, 0.62, [](index_t m) {
                   Product p(m, 64, 64, "A Bᵀ");
                   const auto whole = [&] { small_product(p.rows(0, m)); };
                   const auto halves = [&] {
                       parallel_for(m, m / 2,
                                    [&](index_t begin, index_t end) { small_product(p.rows(begin, end)); });
                   };
                   return std::pair(time_of(seconds, whole).median, time_of(seconds, halves).median);
               }));
}

// Numbers for each of two threads, of a loop that only adds.
index_t worth_a_piece() {
    const std::vector<index_t> counts{2048, 4096, 8192, 16384, 32768, 65536, 131072};
    return first_better<index_t>("numbers to add, one thread / two", counts, 0.8,
                                 [](index_t n) {
                                     std::vector<real> x(static_cast<std::size_t>(n), 1), y = x;
                                     const auto add = [&](index_t begin, index_t end) {
                                         for (index_t i = begin; i < end; ++i)
                                             y[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(i)];
                                     };
                                     return std::pair(
                                         time_of(seconds, [&] { add(0, n); }).median,
                                         time_of(seconds, [&] { parallel_for(n, n / 2, add); }).median);
                                 }) /
           2;
}

index_t worth_packing_b() {
    const index_t n = first_better<index_t>(
        "256 × n × n, A B, in place / packed", {128, 256, 384, 512, 640, 768, 896, 1152, 1408}, 0.97,
        [](index_t size) { return Product(256, size, size, "A B").in_place_and_packed(); });
    return n * n;
}
index_t worth_packing_a() {
    const index_t n = first_better<index_t>(
        "n × 256 × n, Aᵀ B, in place / packed", {64, 128, 256, 320, 384, 448, 512, 640, 768}, 0.97,
        [](index_t size) { return Product(size, 256, size, "Aᵀ B").in_place_and_packed(); });
    return n * n;
}
double worth_packing_both() {
    return std::pow(
        static_cast<double>(first_better<index_t>(
            "n × n × n, A Bᵀ, strips / packed", {256, 384, 512, 640, 768, 1024, 1536}, 0.97,
            [](index_t size) { return Product(size, size, size, "A Bᵀ").in_place_and_packed(); })),
        3);
}

// Multiply–adds from which on BLAS is faster.
double worth_blas() {
    const std::vector<index_t> sizes{256, 512, 1024, 1536, 2048, 3072};
    return std::pow(static_cast<double>(first_better<index_t>(
                        "square products, ours / BLAS", sizes, 1,
                        [](index_t n) {
                            Product p(n, n, n, "A Bᵀ");
                            const TiledProduct t = p.rows(0, n);
                            return std::pair(
                                time_of(seconds, [&] { panel_product(t); }).min,
                                time_of(seconds, [&] { blas_gemm(n, n, n, 1, t.a, t.b, 0, t.c, n); }).min);
                        })),
                    3);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && !std::strcmp(argv[1], "--seconds")) seconds = std::atof(argv[2]);
    return run_bench([] {
        const double thread = worth_a_thread();
        const index_t piece = worth_a_piece();
        const index_t in_rows = worth_packing_b(), in_columns = worth_packing_a();
        const double strips = worth_packing_both(), blas = worth_blas();
        std::printf("instructions %s, BLAS %s\n{%.2g, %td, %td, %td, %.2g, %.2g}\n",
                    std::string(name_of(instruction_set())).c_str(), blas_core_name().c_str(), thread, piece,
                    in_rows, in_columns, strips, blas);
    });
}
