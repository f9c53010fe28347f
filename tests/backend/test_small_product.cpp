// Small products by register tiles: rows, columns and depth that do not fill a tile, every layout of A and B,
// and nothing written outside C.
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/tiled_product.h>

#include <cmath>
#include <limits>

#include "operand.h"
#include "support/catch.h"
#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

void check_product(Random& random, index_t m, index_t n, index_t k, real alpha) {
    const bool with_bias = alpha == 1 && random.whole(0, 1) == 1;
    const Operand a(random, m, k, random.whole(0, 1) == 1, random.whole(0, 3));
    const Operand b(random, k, n, random.whole(0, 1) == 1, random.whole(0, 3));
    const std::vector<real> bias = random.normal({n}).values();
    const index_t ldc = n + random.whole(0, 2);
    std::vector<real> c(static_cast<std::size_t>(m * ldc), NaN), expected = c;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = with_bias ? static_cast<double>(bias[static_cast<std::size_t>(j)]) : 0;
            for (index_t l = 0; l < k; ++l) sum += static_cast<double>(alpha) * a.at(i, l) * b.at(l, j);
            expected[static_cast<std::size_t>(i * ldc + j)] = static_cast<real>(sum);
        }
    small_product(
        {m, n, k, alpha, a.matrix, b.matrix, with_bias ? bias.data() : nullptr, false, c.data(), ldc});
    check_close(Tensor({m, ldc}, c), Tensor({m, ldc}, expected), (k < 100 ? chain : deep).with_nan(),
                "product " + Shape{m, n, k}.str());
}

}  // namespace

TEST_CASE("small products of every size up to a few tiles match the definition") {
    for_seeds(1, [](Random& random) {
        for (const index_t m : {1, 2, 7, 8, 9, 16, 21})
            for (const index_t n : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 49, 64, 70})
                for (const index_t k : {1, 5, 40, 257})
                    check_product(random, m, n, k, random.whole(0, 1) ? real(1) : real(0.25));
    });
}

TEST_CASE("the stride of an axis of length 1 is ignored") {
    const std::vector<real> a{1, 2, 3}, b{4, NaN, 5, NaN, 6, NaN};
    real dot = NaN, row[3] = {NaN, NaN, NaN};
    small_product({1, 1, 3, 1, {a.data(), 99, 1}, {b.data(), 2, 99}, nullptr, false, &dot, 1});
    CHECK(dot == 4 + 10 + 18);
    small_product({1, 3, 1, 2, {a.data(), 99, 99}, {b.data(), 99, 2}, nullptr, false, row, 3});
    CHECK(row[0] == 8);
    CHECK(row[1] == 10);
    CHECK(row[2] == 12);
}

TEST_CASE("a NaN in small products stays in its row or column") {
    std::vector<real> a(9 * 3, 1), b(3 * 10, 1), c(9 * 10);
    a[4 * 3] = NaN, b[2 * 10 + 9] = NaN;
    small_product({9, 10, 3, 1, {a.data(), 3, 1}, {b.data(), 10, 1}, nullptr, false, c.data(), 10});
    for (index_t i = 0; i < 9; ++i)
        for (index_t j = 0; j < 10; ++j) {
            const real entry = c[static_cast<std::size_t>(i * 10 + j)];
            CHECK((i == 4 || j == 9 ? std::isnan(entry) : entry == 3));
        }
}

TEST_CASE("column sums: adjacent, strided, transposed, and as accurate as double where they are long") {
    Random random(2);
    for (const index_t rows : {0, 1, 7, 8, 9, 100})
        for (const index_t n : {1, 5, 70}) {
            const Operand x(random, rows, n, random.whole(0, 1) == 1, random.whole(0, 2));
            std::vector<real> sums(static_cast<std::size_t>(n)), expected;
            for (index_t j = 0; j < n; ++j) {
                double sum = 0;
                for (index_t i = 0; i < rows; ++i) sum += x.at(i, j);
                expected.push_back(static_cast<real>(sum));
            }
            column_sums<double>(rows, n, x.matrix, sums.data());
            check_close(Tensor({n}, sums), Tensor({n}, expected), in_double ? rounding : exact, "in double");
            column_sums<real>(rows, n, x.matrix, sums.data());
            check_close(Tensor({n}, sums), Tensor({n}, expected), rounding, "in real");
        }
    const std::vector<real> tenths(2000000, real(0.1));  // a float sum would be off in its fourth digit
    real sums[2];
    column_sums<real>(1000000, 2, {tenths.data(), 2, 1}, sums);
    CHECK(std::abs(static_cast<double>(sums[1]) - 1e6 * static_cast<double>(real(0.1))) < 0.02);
}
