// Panel products: rows, columns and depth that do not fill a tile, a panel or a block, every layout of A and
// B, and nothing written outside C.
#include <glassbox/backend/cpu/tiled_product.h>

#include <algorithm>
#include <limits>
#include <string>

#include "operand.h"
#include "support/catch.h"
#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

void check_product(Random& random, index_t m, index_t n, index_t k, bool a_transposed, bool b_transposed,
                   bool with_bias, real alpha) {
    const Operand a(random, m, k, a_transposed), b(random, k, n, b_transposed);
    const std::vector<real> bias = random.normal({n}).values();
    const index_t ldc = n + random.whole(0, 2);
    std::vector<real> c(static_cast<std::size_t>(m * ldc), NaN), expected = c;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = 0;
            for (index_t l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
            sum *= static_cast<double>(alpha);
            if (with_bias) sum += static_cast<double>(bias[static_cast<std::size_t>(j)]);
            expected[static_cast<std::size_t>(i * ldc + j)] = static_cast<real>(sum);
        }
    // Sums of hundreds of products: as deep as in a model.
    panel_product(
        {m, n, k, alpha, a.matrix, b.matrix, with_bias ? bias.data() : nullptr, false, c.data(), ldc});
    check_close(Tensor({m, ldc}, c), Tensor({m, ldc}, expected), deep.with_nan(),
                "product " + Shape{m, n, k}.str());
}

}  // namespace

TEST_CASE("panel products of every size and layout match the definition") {
    for_seeds(1, [](Random& random) {
        for (const index_t m : {12, 13, 24, 35})
            for (const index_t n : {1, 15, 16, 31, 32, 33, 70})
                for (const index_t k : {1, 17, 40})
                    for (const int layout : {0, 1, 2, 3})
                        check_product(random, m, n, k, layout & 1, layout & 2, random.whole(0, 1) == 1,
                                      random.whole(0, 1) ? real(1) : real(0.25));
    });
}

TEST_CASE("panel products deeper than a panel and taller than a block add up their parts") {
    for_seeds(1, [](Random& random) {
        for (const int layout : {0, 1, 2, 3}) {
            check_product(random, 13, 33, 530, layout & 1, layout & 2, true, real(0.5));
            check_product(random, 485, 40, 20, layout & 1, layout & 2, true, 1);
            check_product(random, 972, 5, 260, layout & 1, layout & 2, false, 1);
        }
    });
}

TEST_CASE("products are added to what C holds if asked for") {
    for_seeds(1, [](Random& random) {
        for (const index_t m : {1, 5, 40}) {
            const index_t n = 37, k = 300;
            const Operand a(random, m, k, random.whole(0, 1) == 1), b(random, k, n, random.whole(0, 1) == 1);
            const std::vector<real> before = random.normal({m * n}).values();
            std::vector<real> product(static_cast<std::size_t>(m * n)), sum = before;
            tiled_product({m, n, k, 2, a.matrix, b.matrix, nullptr, false, product.data(), n});
            tiled_product({m, n, k, 2, a.matrix, b.matrix, nullptr, true, sum.data(), n});
            for (std::size_t i = 0; i < product.size(); ++i) product[i] += before[i];
            check_close(Tensor({m, n}, sum), Tensor({m, n}, product), deep, "sum");
        }
    });
}

TEST_CASE("a row of a product has the same bits however many rows and columns there are") {
    for_seeds(1, [](Random& random) {
        const index_t m = 500, n = 150, k = 300;
        for (const int layout : {0, 1, 2, 3}) {
            const Operand a(random, m, k, layout & 1), b(random, k, n, layout & 2);
            const std::vector<real> bias = random.normal({n}).values();
            std::vector<real> whole(static_cast<std::size_t>(m * n)), some = whole;
            gemm(m, n, k, 1, a.matrix, b.matrix, 0, whole.data(), n);
            for (const index_t rows : {1, 2, 3, 5, 7, 8, 11, 12, 13, 16, 64, 257})
                for (const index_t columns : {1, 5, 8, 16, 17, 40, 129}) {
                    const index_t row = random.whole(0, m - rows), col = random.whole(0, n - columns);
                    gemm(rows, columns, k, 1,
                         {a.matrix.data + row * a.matrix.row, a.matrix.row, a.matrix.col},
                         {b.matrix.data + col * b.matrix.col, b.matrix.row, b.matrix.col}, 0, some.data(),
                         columns);
                    bool same = true;
                    for (index_t i = 0; i < rows; ++i)
                        same = same && std::equal(some.data() + i * columns, some.data() + (i + 1) * columns,
                                                  whole.data() + (row + i) * n + col);
                    INFO(rows << " rows, " << columns << " columns, layout " << layout);
                    CHECK(same);
                }
        }
    });
}
