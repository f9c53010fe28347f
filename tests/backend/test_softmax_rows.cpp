// Short rows are read and written as whole registers, which reach into the next rows: each still has the bits
// of a row by itself, and nothing is written beyond the last.
#include <glassbox/backend/cpu/softmax_row.h>

#include <cmath>
#include <vector>

#include "support/catch.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr Kernel softmax = []<class Set>(Set, const real* x, real* p, index_t rows, index_t n, real* m,
                                         real* s) {
    softmax_rows<Set>(x, p, rows, n, [m, s](index_t i, const Softmax& of_row) {
        m[i] = of_row.m;
        s[i] = of_row.s;
    });
};

struct Result {
    std::vector<real> p, m, s;
    bool operator==(const Result&) const = default;
};

constexpr real untouched = 77;

Result softmax_of(std::vector<real> x, index_t rows, index_t n, bool in_place) {
    Result result;
    result.m.resize(static_cast<std::size_t>(rows));
    result.s.resize(static_cast<std::size_t>(rows));
    x.push_back(untouched);
    result.p.assign(x.size(), untouched);
    if (in_place) {
        softmax(x.data(), x.data(), rows, n, result.m.data(), result.s.data());
        result.p = x;
    } else {
        softmax(x.data(), result.p.data(), rows, n, result.m.data(), result.s.data());
    }
    return result;
}

}  // namespace

TEST_CASE("the softmax of a row has the same bits alone, among others and in place") {
    for_seeds(1, [](Random& random) {
        for (index_t n = 1; n <= 40; ++n)
            for (const index_t rows : {1, 2, 3, 5, 17}) {
                const std::vector<real> x = random.normal({rows, n}).values();
                const Result all = softmax_of(x, rows, n, false);
                CAPTURE(n, rows);
                REQUIRE(all == softmax_of(x, rows, n, true));
                REQUIRE(all.p.back() == untouched);
                for (index_t i = 0; i < rows; ++i) {
                    const std::vector<real> row(x.begin() + i * n, x.begin() + (i + 1) * n);
                    const Result alone = softmax_of(row, 1, n, false);
                    REQUIRE(std::equal(alone.p.begin(), alone.p.end() - 1, all.p.begin() + i * n));
                    REQUIRE(alone.m[0] == all.m[static_cast<std::size_t>(i)]);
                    REQUIRE(alone.s[0] == all.s[static_cast<std::size_t>(i)]);
                }
            }
    });
}
