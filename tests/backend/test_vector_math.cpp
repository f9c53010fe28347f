#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <glassbox/backend/cpu/vector_math.h>

#include "support/catch.h"

using glassbox::fast_exp;

namespace {

// The error in units in the last place of the exact value.
double ulps(float x) {
    const double right = std::exp(static_cast<double>(x));
    int exponent;
    std::frexp(right, &exponent);
    return std::abs(static_cast<double>(fast_exp(x)) - right) / std::ldexp(1.0, exponent - 24);
}

}  // namespace

TEST_CASE("fast_exp stays within 1.5 units in the last place over the whole range of float") {
    double worst = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32);
         bits += 4099) {  // a prime: all mantissas occur
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (x > -87.3f && x < 88.7f) worst = std::max(worst, ulps(x));
    }
    CAPTURE(worst);
    CHECK(worst < 1.5);
}

TEST_CASE("fast_exp at the ends of its range is 0, infinity or NaN like std::exp") {
    const float inf = std::numeric_limits<float>::infinity();
    CHECK(fast_exp(-inf) == 0);
    CHECK(fast_exp(-9e15f) == 0);
    CHECK(fast_exp(-100.0f) == 0);
    CHECK(fast_exp(inf) == inf);
    CHECK(fast_exp(89.0f) == inf);
    CHECK(std::isnan(fast_exp(std::nanf(""))));
    CHECK(fast_exp(0.0f) == 1);
    CHECK(fast_exp(88.7f) == Approx(std::exp(double(88.7f))).epsilon(1e-6));
}

TEST_CASE("fast_exp_below_88 is fast_exp up to 88") {
    using glassbox::fast_exp_below_88;
    int different = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (x <= 88) different += !(std::abs(fast_exp_below_88(x) - fast_exp(x)) <= 2e-7f * fast_exp(x));
    }
    CHECK(different == 0);
    CHECK(fast_exp_below_88(0.0f) == 1);
    CHECK(fast_exp_below_88(-std::numeric_limits<float>::infinity()) == 0);
    CHECK(std::isnan(fast_exp_below_88(std::nanf(""))));
}

namespace {

float erf_of_float(float x) { return glassbox::fast_erf(x); }
float tanh_of_float(float x) { return glassbox::fast_tanh(x); }

// The largest error in units in the last place, over floats of either sign.
double worst_ulps(float (*f)(float), double (*exact)(double)) {
    double worst = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        const double truth = exact(static_cast<double>(x));
        if (!(std::abs(truth) > 1e-37)) continue;  // NaN, and subnormal floats
        int exponent;
        std::frexp(truth, &exponent);
        worst = std::max(worst, std::abs(static_cast<double>(f(x)) - truth) / std::ldexp(1.0, exponent - 24));
    }
    return worst;
}

}  // namespace

TEST_CASE("fast_erf and fast_tanh stay within 1.6 units in the last place over the whole range of float") {
    CHECK(worst_ulps(erf_of_float, std::erf) < 1.6);
    CHECK(worst_ulps(tanh_of_float, std::tanh) < 1.6);
}

TEST_CASE("fast_erf and fast_tanh at the ends of their range are ±1, or NaN") {
    const float inf = std::numeric_limits<float>::infinity();
    for (float (*f)(float) : {erf_of_float, tanh_of_float}) {
        CHECK(f(inf) == 1);
        CHECK(f(-inf) == -1);
        CHECK(f(1e30f) == 1);
        CHECK(f(-1e30f) == -1);
        CHECK(f(0.0f) == 0);
        CHECK(std::signbit(f(-0.0f)));
        CHECK(std::isnan(f(std::nanf(""))));
    }
}

TEST_CASE("fast_log_from_1 stays within 1 unit in the last place from 1 on, and propagates NaN") {
    double worst = 0;
    for (std::uint32_t bits = 0x3f800001; bits < 0x7f800000; bits += 1009) {
        const float x = std::bit_cast<float>(bits);
        const double right = std::log(static_cast<double>(x));
        const double off = std::abs(static_cast<double>(glassbox::fast_log_from_1(x)) - right);
        worst = std::max(worst, off / std::ldexp(1.0, std::ilogb(right) - 23));
    }
    CAPTURE(worst);
    CHECK(worst < 1);
    CHECK(glassbox::fast_log_from_1(1.0f) == 0);
    CHECK(std::isnan(glassbox::fast_log_from_1(std::nanf(""))));
}
