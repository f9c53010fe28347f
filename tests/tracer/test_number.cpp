#include <cmath>

#include "support/catch.h"
#include "support/compare.h"
#include "tracer/cli/number.h"

using namespace glassbox;
using namespace glassbox::tracer;

TEST_CASE("number: integers have no point, others as few digits as restore them") {
    CHECK(number(1) == "1");
    CHECK(number(-3) == "-3");
    CHECK(number(0) == "0");
    CHECK(number(real(-0.0)) == "0");
    CHECK(number(100) == "100");
    CHECK(number(10000) == "10000");
    CHECK(number(real(0.5)) == "0.5");
    if (!glassbox_test::in_double) CHECK(number(real(0.1)) == "0.1");
    CHECK(number(real(-2.25)) == "-2.25");
}

TEST_CASE("number: at most `precision` digits after the point, rounded to even at a tie") {
    CHECK(number(real(2.0 / 3), 4) == "0.6667");
    CHECK(number(real(0.125), 2) == "0.12");
    CHECK(number(real(0.375), 2) == "0.38");
    CHECK(number(real(2.5), 0) == "2");
    CHECK(number(real(0.99999), 2) == "1");
    CHECK(number(real(1.5), 17) == "1.5");
}

TEST_CASE("number: what is not 0 is not written as 0, and a constant has all its digits") {
    CHECK(number(real(-0.3), 0) == "-0.3");
    CHECK(number(real(0.0005), 2) == "0.0005");
    CHECK(number(real(0.0012345), 2) == "0.0012");
    CHECK(number(real(0.0051), 2) == "0.01");
    CHECK(number(real(0.00025), 4) == "0.00025");
    CHECK(number(real(0.0019987), 4) == "0.002");
    CHECK(number(real(0.0123456), 4) == "0.0123");
    if (!glassbox_test::in_double) CHECK(glassbox::tracer::root_or_number(real(0.999)) == "0.999");
    CHECK(glassbox::tracer::root_or_number(std::sqrt(real(2))) == "√2");
}

TEST_CASE("number: very small and very large ones are in exponent form") {
    CHECK(number(real(0.5e-4), 8) == "5e-05");
    CHECK(number(real(-9e15)) == "-9e+15");
    CHECK(number(real(1e8)) == "1e+08");
    CHECK(number(real(12345678)) == "12345678");
    CHECK(number(real(1.0 / 3e6), 3) == "3.333e-07");
    CHECK(number(real(1.0 / 3e6), 0) == "3e-07");
}

TEST_CASE("number: NaN and infinity by name") {
    CHECK(number(real(NAN)) == "nan");
    CHECK(number(real(INFINITY)) == "inf");
    CHECK(number(real(-INFINITY)) == "-inf");
}

TEST_CASE("number: after an operator negative ones have parentheses") {
    CHECK(operand(real(-0.5)) == "(-0.5)");
    CHECK(operand(real(0.5)) == "0.5");
    CHECK(operand(real(-INFINITY)) == "(-inf)");
}
