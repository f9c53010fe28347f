#include <glassbox/ops/testing.h>

#include <cmath>
#include <limits>

#include "support/catch.h"

using namespace glassbox::numerics;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Derivative of(const std::function<double(double)>& f, double x, double noise, bool is_smooth = true) {
    return derivative(
        [&](double h) {
            const double y = f(x);
            return Slopes{(y - f(x - h)) / h, (f(x + h) - y) / h, is_smooth};
        },
        0.25, noise);
}

// A rounding error that is the same for the same t, of constant size.
double error_at(double t) { return std::sin(1e9 * t * t + t + 1); }

}  // namespace

TEST_CASE("derivative: of smooth functions it is within its error estimate, which is small") {
    for (const double x : {-0.7, 0.1, 1.3}) {
        const Derivative sine = of([](double t) { return std::sin(3 * t); }, x, eps);
        CHECK(std::abs(sine.value - 3 * std::cos(3 * x)) <= sine.error);
        CHECK(sine.error < 1e-11);
        const Derivative steep = of([](double t) { return 1 / (1 + std::exp(-20 * t)); }, x / 10, eps);
        const double y = 1 / (1 + std::exp(-2 * x));
        CHECK(std::abs(steep.value - 20 * y * (1 - y)) <= steep.error);
        CHECK(steep.error < 1e-8);
        CHECK(sine.jump == 0);
    }
}

TEST_CASE("derivative: its error estimate grows with the function's rounding, and covers it") {
    double last = 0;
    for (const double noise : {1e-12, 1e-9, 1e-6}) {
        for (int i = 0; i < 100; ++i) {
            const double x = 0.01 * i;
            const Derivative found = of(
                [&](double t) { return std::sin(3 * t) + noise * std::sqrt(2.0) * error_at(t); }, x, noise);
            CHECK(std::abs(found.value - 3 * std::cos(3 * x)) <= found.error);
            CHECK(found.error < 3000 * noise);
            last = found.error;
        }
        CHECK(last > noise);
    }
}

TEST_CASE("derivative: at a kink it is between both slopes, and gives their distance") {
    const Derivative relu = of([](double t) { return std::max(0.0, t) + t * t; }, 0, eps, false);
    CHECK(std::abs(relu.value - 0.5) <= relu.error);
    CHECK(relu.jump >= 1);
    CHECK(relu.jump < 1.001);
}

TEST_CASE("derivative: kinks near x stay within its error estimate") {
    for (const double noise : {1e-12, 1e-7})
        for (int i = 1; i < 100; ++i) {
            const double kink = i * 0.003, size = 0.1 * (i % 7);
            const auto f = [&](double t) {
                return std::sin(t) + size * std::max(0.0, t - kink) - 0.2 * std::max(0.0, -t - kink / 3) +
                       noise * error_at(t);
            };
            const Derivative found = of(f, 0, noise, false);
            INFO(kink << " " << size << ": " << found.value << " " << found.error << " " << found.jump);
            CHECK(std::abs(found.value - 1) <= found.error + found.jump / 2);
        }
}

TEST_CASE("derivative: of a step finer than any h it is within its error estimate, which may be infinite") {
    for (const double noise : {1e-15, 1e-7})
        for (const double scale : {1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e12}) {
            INFO(noise << " " << scale);
            const Derivative step =
                of([&](double t) { return std::tanh(scale * t) + noise * error_at(t); }, 0, noise);
            CHECK(std::abs(step.value - scale) <= step.error);
        }
    const Derivative found = of([](double t) { return std::tanh(1e4 * t); }, 0, eps);
    CHECK(found.error < 100);  // 1 %, by halving h further
}

// Not of any wave: one whose phase at h, h/2, h/4, … is close to whole turns looks smooth.
TEST_CASE("derivative: of a wave with many turns in h it is within its error estimate") {
    for (const double noise : {1e-15, 1e-7})
        for (const double scale : {30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e6})
            for (const double x : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}) {
                INFO(noise << " " << scale << " " << x);
                const Derivative wave =
                    of([&](double t) { return std::sin(scale * t) + noise * error_at(t); }, x, noise);
                CHECK(std::abs(wave.value - scale * std::cos(scale * x)) <= wave.error);
            }
}

TEST_CASE("derivative: of NaN it is NaN") {
    CHECK(std::isnan(of([](double) { return NAN; }, 0, eps).value));
    CHECK(std::isnan(of([](double) { return INFINITY; }, 0, eps).value));
}

TEST_CASE("rounding noise: is measured within a factor of 3, and curvature is not noise") {
    for (const double noise : {1e-9, 1e-6, 1e-3}) {
        std::vector<double> values;
        for (int i = 0; i < rounding_noise_values; ++i)
            values.push_back(2 + 1e-3 * i + 1e-7 * i * i + noise * std::sqrt(2.0) * error_at(i));
        CHECK(rounding_noise(values) > noise / 3);
        CHECK(rounding_noise(values) < noise * 3);
    }
    CHECK(rounding_noise({0, 1, 2, 3, 4, 5, 6, 7, 8}) == 0);
    CHECK(rounding_noise({0, 1, 4, 9, 16, 25, 36, 49, 64}) == 0);
    CHECK(std::isnan(rounding_noise({0, 1, 2, 3, NAN, 5, 6, 7, 8})));
}
