// The product under all others: its factors, operands that are not as BLAS wants them, the limits of what
// BLAS may be given, and the packing of a part of B.
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/tensor/processor.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "support/catch.h"
#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr index_t max_int = std::numeric_limits<int>::max();

// A matrix of small whole numbers, whose products are exact, with these strides.
struct Whole {
    std::vector<real> numbers;
    Matrix matrix;

    Whole(Random& random, index_t rows, index_t cols, index_t row, index_t col)
        : numbers(static_cast<std::size_t>((rows - 1) * row + (cols - 1) * col + 1)) {
        for (real& number : numbers) number = static_cast<real>(random.whole(-4, 4));
        matrix = {numbers.data(), row, col};
    }
    double at(index_t i, index_t j) const {
        return static_cast<double>(matrix.data[i * matrix.row + j * matrix.col]);
    }
};

using Gemm = void (*)(index_t, index_t, index_t, real, Matrix, Matrix, real, real*, index_t);

// C has two numbers more a row, which must stay as they are.
void check_gemm(Gemm product, Random& random, index_t m, index_t n, index_t k, const Whole& a, const Whole& b,
                real alpha, real beta) {
    const index_t ldc = n + 2;
    std::vector<real> c(static_cast<std::size_t>(m * ldc));
    for (real& number : c) number = beta == 0 ? NaN : static_cast<real>(random.whole(-9, 9));
    std::vector<real> expected = c;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = 0;
            for (index_t l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
            real& entry = expected[static_cast<std::size_t>(i * ldc + j)];
            entry = static_cast<real>(static_cast<double>(alpha) * sum) + (beta == 0 ? 0 : beta * entry);
        }
    product(m, n, k, alpha, a.matrix, b.matrix, beta, c.data(), ldc);
    CAPTURE(m, n, k, a.matrix.row, a.matrix.col, b.matrix.row, b.matrix.col, alpha, beta);
    check_close(Tensor({m, ldc}, c), Tensor({m, ldc}, expected), exact.with_nan(), "C");
}

}  // namespace

TEST_CASE("a product of whole numbers is exact: every size, any strides, alpha and beta") {
    for_seeds(1, [](Random& random) {
        for (const index_t m : {1, 2, 5, 17})
            for (const index_t n : {1, 3, 20})
                for (const index_t k : {1, 2, 9})
                    for (const bool a_fits : {true, false})
                        for (const bool b_fits : {true, false})
                            for (const bool across : {true, false})
                                for (const real beta : {real(0), real(1), real(0.5)}) {
                                    const Whole a = a_fits ? across ? Whole(random, m, k, k + 1, 1)
                                                                    : Whole(random, m, k, 1, m + 1)
                                                           : Whole(random, m, k, 2 * k, 2),
                                                b = b_fits ? across ? Whole(random, k, n, 1, k)
                                                                    : Whole(random, k, n, n, 1)
                                                           : Whole(random, k, n, 3, 3 * k);
                                    for (const real alpha : {real(1), real(-0.5), real(0)})
                                        check_gemm(gemm, random, m, n, k, a, b, alpha, beta);
                                }
    });
}

TEST_CASE("BLAS gives the same where its leading dimension is that of an axis of length 1") {
    for_seeds(1, [](Random& random) {
        for (const index_t m : {1, 4})
            for (const index_t n : {1, 5})
                for (const index_t k : {1, 3})
                    for (const bool a_across : {true, false})
                        for (const bool b_across : {true, false}) {
                            const Whole a = a_across ? Whole(random, m, k, k + 2, 1)
                                                     : Whole(random, m, k, 1, m + 2),
                                        b = b_across ? Whole(random, k, n, n + 2, 1)
                                                     : Whole(random, k, n, 1, k + 2);
                            for (const real beta : {real(0), real(1), real(-2)})
                                check_gemm(blas_gemm, random, m, n, k, a, b, 2, beta);
                        }
    });
}

TEST_CASE("a product of nothing is zeros, or what C holds; without rows or columns C is not touched") {
    const std::vector<real> none{NaN};
    std::vector<real> c{1, 2, 3, 4};
    const Matrix nothing{none.data(), 1, 1};
    gemm(0, 2, 3, 1, nothing, nothing, 0, c.data(), 2);
    gemm(2, 0, 3, 1, nothing, nothing, 0, c.data(), 2);
    CHECK(c == std::vector<real>{1, 2, 3, 4});
    gemm(2, 2, 0, 1, nothing, nothing, 1, c.data(), 2);
    CHECK(c == std::vector<real>{1, 2, 3, 4});
    gemm(1, 2, 0, 1, nothing, nothing, 0, c.data(), 2);
    CHECK(c == std::vector<real>{0, 0, 3, 4});
}

TEST_CASE("BLAS has a name of one word and a version, and names its kernels") {
    const std::string name = blas_name();
    CHECK(std::count(name.begin(), name.end(), ' ') == (name == "none" ? 0 : 1));
    CHECK_FALSE(blas_core_name().empty());
}

TEST_CASE("BLAS takes the processor's instructions, also of a processor newer than BLAS") {
    const bool is_asked_for = std::getenv("OPENBLAS_CORETYPE") || instruction_set() == InstructionSet::plain;
    if (!is_asked_for)
        CHECK(blas_core_name() != "Prescott");  // OpenBLAS's oldest kernels, which it falls back to
}

TEST_CASE("with a factor of 0, NaN in an operand still becomes NaN in the product") {
    const std::vector<real> a{1, NaN}, b{1, 1};
    real c = 5;
    gemm(1, 1, 2, 0, {a.data(), 2, 1}, {b.data(), 1, 1}, 0, &c, 1);
    CHECK(std::isnan(c));
}

TEST_CASE("rows of C may be further apart than an int counts, and one row needs no second") {
    const std::vector<real> a{2}, b{3};
    for (const index_t apart : {max_int - 1, max_int, max_int + 1, 4 * max_int})
        for (const real beta : {real(0), real(1), real(0.5)}) {
            real c = 4;
            gemm(1, 1, 1, 1, {a.data(), 1, 1}, {b.data(), 1, 1}, beta, &c, apart);
            CHECK(c == 6 + beta * 4);
        }
}

TEST_CASE(
    "BLAS takes adjacent rows or columns that do not overlap and are no further apart than an int counts") {
    struct Case {
        index_t row, col, rows, cols;
        bool ready;
    };
    for (const auto& [row, col, rows, cols, ready] : {
             Case{5, 1, 3, 5, true},  // rows, one after the other
             {6, 1, 3, 5, true},      // with a gap
             {4, 1, 3, 5, false},     // overlapping
             {1, 3, 3, 5, true},      // columns
             {1, 4, 3, 5, true},
             {1, 2, 3, 5, false},
             {10, 2, 3, 5, false},  // gaps both ways
             {0, 1, 3, 5, false},   // one row thrice
             {1, 0, 3, 5, false},
             {0, 0, 3, 5, false},
             {1, 1, 2, 2, false},
             {9, 7, 1, 1, true},  // strides that are not used
             {0, 1, 1, 5, true},
             {2, 1, 2, 2, true},
             {1, 2, 2, 2, true},
             {9, 2, 1, 2, true},  // one row: columns 2 apart, each of one number
             {2, 9, 2, 1, true},
             {9, 0, 1, 2, false},
             {0, 9, 2, 1, false},
             {max_int, 1, 2, 2, true},
             {max_int + 1, 1, 2, 2, false},
             {1, max_int, 2, 2, true},
             {1, max_int + 1, 2, 2, false},
             {max_int, 1, 2, max_int, true},
             {max_int + 1, 1, 1, max_int + 1, false},
             {1, max_int + 1, max_int + 1, 1, false},
             {1, max_int, max_int, 2, true},
             {1, 1, max_int, 1, true},
             {1, 1, max_int + 1, 1, false},
             {1, 1, 1, max_int + 1, false},
         }) {
        CAPTURE(row, col, rows, cols);
        CHECK(is_blas_ready({nullptr, row, col}, rows, cols) == ready);
    }
}

TEST_CASE("products are our own up to 256 rows of the largest size, if BLAS could take the operands") {
    const Matrix rows{nullptr, index_t{1} << 30, 1}, gaps{nullptr, index_t{1} << 30, 2};
    CHECK(is_tiled(1, 1, 1, rows, rows));
    CHECK_FALSE(is_tiled(2, 2, 2, gaps, rows));
    CHECK_FALSE(is_tiled(2, 2, 2, rows, gaps));
    const index_t huge = index_t{1} << 25;
    CHECK_FALSE(is_tiled(256, huge, huge, rows, rows));
    for (const index_t n : {1000, 10000, 100000})
        CHECK(is_tiled(256, n, 1000, rows, rows) == is_tiled(index_t{1} << 30, n, 1000, rows, rows));
}

TEST_CASE(
    "a part of B is packed row by row, with zeros up to the step, wherever it lies and whatever its "
    "strides") {
    for_seeds(1, [](Random& random) {
        for (const index_t k : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33})
            for (const index_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33})
                for (const index_t more : {0, 1, 20})
                    for (const bool across : {true, false}) {
                        const Whole b =
                            across ? Whole(random, k, n, n + 1, 1) : Whole(random, k, n, 1, k + 2);
                        const index_t step = n + more;
                        std::vector<real> packed(static_cast<std::size_t>(k * step + 3), 77),
                            expected = packed;
                        for (index_t l = 0; l < k; ++l)
                            for (index_t j = 0; j < step; ++j)
                                expected[static_cast<std::size_t>(l * step + j)] =
                                    j < n ? static_cast<real>(b.at(l, j)) : 0;
                        pack(b.matrix, k, n, packed.data(), step);
                        CAPTURE(k, n, more, across);
                        CHECK(packed == expected);
                    }
    });
}

TEST_CASE("a product of one term takes A's column wherever its numbers lie, also when it is packed") {
    for_seeds(1, [](Random& random) {
        for (const index_t n : {1, 30, 300}) {
            const index_t m = 40;
            const Whole a(random, m, 1, 3, 5), b(random, 1, n, 7, 1);
            for (const auto way : {tiled_product, small_product, panel_product}) {
                TiledProduct p{m, n, 1, 1, a.matrix, b.matrix, nullptr, false, nullptr, n};
                if (way == panel_product) p.a.col = 1;  // as tiled_product hands it on
                std::vector<real> c(static_cast<std::size_t>(m * n), NaN);
                p.c = c.data();
                way(p);
                bool same = true;
                for (index_t i = 0; i < m; ++i)
                    for (index_t j = 0; j < n; ++j)
                        same = same && static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) ==
                                           a.at(i, 0) * b.at(0, j);
                CHECK(same);
            }
        }
        // So many terms that A's columns are packed.
        const index_t m = 70000;
        const Whole a(random, m, 1, 1, 5), b(random, 1, 3, 7, 1);
        std::vector<real> c(static_cast<std::size_t>(m * 3), NaN);
        tiled_product({m, 3, 1, 1, {a.matrix.data, 1, 1024}, b.matrix, nullptr, false, c.data(), 3});
        bool same = true;
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < 3; ++j)
                same = same &&
                       static_cast<double>(c[static_cast<std::size_t>(i * 3 + j)]) == a.at(i, 0) * b.at(0, j);
        CHECK(same);
    });
}

TEST_CASE("the last two axes as a matrix: strides of axes of length 1 become ones that BLAS takes") {
    struct Case {
        Shape shape;
        Strides strides;
        index_t row, col;
    };
    for (const auto& [shape, strides, row, col] : {
             Case{{3, 5}, {5, 1}, 5, 1},
             {{3, 5}, {1, 3}, 1, 3},
             {{3, 5}, {10, 2}, 10, 2},
             {{3, 1}, {7, 99}, 7, 1},  // a column with gaps: rows of one number
             {{3, 1}, {1, 99}, 1, 3},  // a column without: the transpose of a row
             {{1, 5}, {99, 1}, 5, 1},  // a row
             {{1, 5}, {99, 7}, 1, 7},  // a row with gaps: columns of one number
             {{1, 1}, {99, 99}, 1, 1},
             {{0, 5}, {99, 1}, 99, 1},
             {{0, 1}, {1, 1}, 1, 1},
             {{4, 3, 5}, {15, 5, 1}, 5, 1},
         }) {
        const Matrix found = matrix_of({nullptr, shape, strides});
        INFO(shape.str());
        CHECK(found.row == row);
        CHECK(found.col == col);
        CHECK(is_blas_ready(found, shape[-2], shape[-1]) == (found.row == 1 || found.col == 1));
    }
}

TEST_CASE("rows of several matrices are evenly spaced if every axis goes on where the one after it ends") {
    struct Case {
        Shape shape;
        Strides strides;
        bool even;
    };
    for (const auto& [shape, strides, even] : {
             Case{{3, 5}, {5, 1}, true},
             {{3, 5}, {50, 2}, true},
             {{2, 3, 5}, {15, 5, 1}, true},
             {{2, 3, 5}, {16, 5, 1}, false},
             {{2, 3, 5}, {30, 10, 1}, true},
             {{1, 3, 5}, {99, 5, 1}, true},
             {{2, 1, 5}, {5, 5, 1}, true},
             {{4, 2, 3, 5}, {30, 15, 5, 1}, true},
             {{4, 2, 3, 5}, {31, 15, 5, 1}, false},
             {{4, 1, 3, 5}, {15, 99, 5, 1}, true},
             {{2, 3, 5}, {0, 5, 1}, false},
         }) {
        INFO(shape.str());
        CHECK(has_uniform_row_stride({nullptr, shape, strides}) == even);
    }
}
