#include <glassbox/mistakes/precision.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include <cmath>

#include "support/catch.h"

using namespace glassbox;

namespace {

// With so many binary digits.
Tensor rounded(const Tensor& x, int digits) {
    std::vector<real> values = x.values();
    for (real& v : values) {
        int exponent = 0;
        const double fraction = std::frexp(static_cast<double>(v), &exponent);
        v = static_cast<real>(std::ldexp(std::round(std::ldexp(fraction, digits)), exponent - digits));
    }
    return Tensor(x.shape(), values);
}

}  // namespace

TEST_CASE(
    "precision: numbers of 11 binary digits are float16, of 8 bfloat16, of 24 float32, of more the library's "
    "own") {
    const Tensor x = make_stream(Rng::numpy, 3)->normal({4, 5});
    CHECK(precision_of(rounded(x, 11)).name == std::string("float16"));
    CHECK(precision_of(rounded(x, 8)).name == std::string("bfloat16"));
    CHECK(precision_of(x).unit == library_precision().unit);
    CHECK(precision_of(rounded(x, 13)).name == std::string("float32"));
}

TEST_CASE("precision: whole numbers and halves say nothing about the format") {
    CHECK(precision_of(Tensor{{1, 2, 3}, {0, 5, 9}}).unit == library_precision().unit);
    CHECK(precision_of(Tensor{0.5, 0.25, 1}).unit == library_precision().unit);
}

TEST_CASE("precision: numbers too large for float16 are bfloat16 or the library's own") {
    const Tensor x = make_stream(Rng::numpy, 3)->normal({4, 5}) * 3e5;
    CHECK(precision_of(rounded(x, 11)).name != std::string("float16"));
    CHECK(precision_of(rounded(x, 8)).name == std::string("bfloat16"));
}

TEST_CASE("precision: numbers that were rounded to two decimals or more, in any type") {
    const Tensor x = make_stream(Rng::numpy, 3)->normal({3, 7});
    const auto to_decimals = [&](int decimals) {
        std::vector<real> values = x.values();
        const double unit = std::pow(10, decimals);
        for (real& v : values) v = static_cast<real>(std::round(static_cast<double>(v) * unit) / unit);
        return Tensor(x.shape(), values);
    };
    CHECK(decimals_of(x) == 0);
    CHECK(decimals_of(to_decimals(0)) == 0);
    CHECK(decimals_of(to_decimals(1)) == 0);
    for (int decimals = 2; decimals <= 5; ++decimals) CHECK(decimals_of(to_decimals(decimals)) == decimals);
    CHECK(decimals_of(Tensor{0, 0, 0}) == 0);
}
