// Arithmetic as it is printed, worked out as with a calculator.
#include "support/catch.h"
#include "tracer/explain/calculated.h"

using glassbox::tracer::calculated;
using glassbox::tracer::with_honest_sign;

TEST_CASE("calculated: signs, products before sums, powers, roots and functions") {
    CHECK(calculated("-0.5·2 + 6 / (1 − 3)") == -4.);
    CHECK(calculated("(-2)² - √(16) - √4") == -2.);
    CHECK(calculated("exp(0) / (exp(0) + exp(0))") == 0.5);
    CHECK(calculated("max(1, min(2, 3), -1) · 1e2") == 200.);
    CHECK(calculated("2^3") == 8.);
    CHECK(*calculated("ln(2) + sin(1) + cos(1) + tanh(1)") == Approx(2.836515));
    for (const char* no : {"", "Q[0,0]·2", "1 + … (3 more terms) … + 2", "1 +", "(1", "from Q, K"}) {
        CAPTURE(no);
        CHECK(!calculated(no));
    }
}

TEST_CASE("calculated: = becomes ≈ where the printed numbers give another last digit, and only there") {
    CHECK(with_honest_sign("x = -0.6613·1.7257 + 0.7006·0.3557 = -0.8921") ==
          "x = -0.6613·1.7257 + 0.7006·0.3557 ≈ -0.8921");
    CHECK(with_honest_sign("x = -0.6613·1.7257 + 0.7006·0.3557 = -0.8920") ==
          "x = -0.6613·1.7257 + 0.7006·0.3557 = -0.8920");
    CHECK(with_honest_sign("x = 1.0001 + 1 = 2") == "x = 1.0001 + 1 ≈ 2");  // the result has no more digits
    CHECK(with_honest_sign("x = 1e-5 · 2.04 = 2.1e-05") == "x = 1e-5 · 2.04 ≈ 2.1e-05");
    CHECK(with_honest_sign("x = Q[0,0] = 3") == "x = Q[0,0] = 3");
    CHECK(with_honest_sign("x = 3") == "x = 3");
    CHECK(with_honest_sign("x = -0.89 / √2 = -0.63", 2) == "x = -0.89 / √2 = -0.63");
}
