#include <cmath>
#include <random>

#include "support/catch.h"
#include "tracer/figures/chart.h"
#include "tracer/figures/scale.h"

using namespace glassbox;
using namespace glassbox::tracer;

namespace {

std::string texts(const Scale& scale) {
    std::string all;
    for (const Scale::Tick& tick : scale.ticks) all += (all.empty() ? "" : " ") + tick.text;
    return all;
}

// Properties of every scale, however it was made.
void check_sound(const Scale& scale, int most) {
    CHECK(scale.high > scale.low);
    CHECK(scale.ticks.size() >= 1);
    CHECK(scale.ticks.size() <= static_cast<std::size_t>(most));
    const double slack = 1e-6;
    for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
        CHECK(scale.position(scale.ticks[i].value) >= -slack);
        CHECK(scale.position(scale.ticks[i].value) <= 1 + slack);
        if (i == 0) continue;
        CHECK(scale.ticks[i].value > scale.ticks[i - 1].value);
        CHECK(scale.ticks[i].text != scale.ticks[i - 1].text);
    }
}

}  // namespace

TEST_CASE("scale: ticks are round and have as many digits as needed") {
    CHECK(texts(rounded(0, 2.31, 6)) == "0 0.5 1.0 1.5 2.0 2.5");
    CHECK(texts(rounded(0, 1, 6)) == "0 0.2 0.4 0.6 0.8 1.0");
    CHECK(texts(rounded(0, 5e-4, 6)) == "0 0.0001 0.0002 0.0003 0.0004 0.0005");
    CHECK(texts(rounded(0, 5e-5, 6)) == "0 1e-05 2e-05 3e-05 4e-05 5e-05");
    CHECK(texts(rounded(-3, 3, 5)) == "-4 -2 0 2 4");
    CHECK(texts(rounded(0, 1e30, 3)) == "0 5e+29 1e+30");
    CHECK(texts(between(1e7, 1e7 + 40, 5)) == "10000000 10000010 10000020 10000030 10000040");
    CHECK(texts(between(1e12, 1e12 + 4e4, 3)) == "1e+12 1.00000002e+12 1.00000004e+12");
    CHECK(texts(between(0, 2, 8, 1)) == "0 1 2");
    CHECK(texts(between(0, 3900, 8)) == "0 1000 2000 3000");
    CHECK(texts(between(0, 2000, 5)) == "0 500 1000 1500 2000");
    CHECK(texts(logarithmic(0.002, 2.5, 7)) == "0.01 0.1 1");
    CHECK(texts(logarithmic(0.1, 10, 7)) == "0.1 0.2 0.5 1 2 5 10");
    CHECK(texts(logarithmic(2.1, 2.4, 5)) == "2.1 2.2 2.3 2.4");
}

TEST_CASE("scale: a single value has space on either side") {
    CHECK(texts(rounded(3, 3, 5)) == "1 2 3 4 5");
    CHECK(texts(rounded(0, 0, 3)) == "-1 0 1");
    CHECK(between(1, 1, 4).position(1) == 0.5);
    CHECK(logarithmic(7, 7, 4).position(7) == Approx(0.5));
}

TEST_CASE("scale: every range has a few distinct ticks inside it, in order") {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> exponent(-12, 12), share(0, 1);
    std::uniform_int_distribution<int> most(3, 12);
    for (int i = 0; i < 300; ++i) {
        const double span = std::pow(10, exponent(random)), low = span * (share(random) - 0.5);
        const double high = low + span * (0.1 + share(random));
        const int n = most(random);
        INFO(low << " to " << high << ", " << n << " ticks");
        check_sound(between(low, high, n), n);
        const Scale scale = rounded(low, high, n);
        check_sound(scale, n);
        CHECK(scale.low <= low + 1e-6 * span);
        CHECK(scale.high >= high - 1e-6 * span);
        CHECK(scale.ticks.front().value == Approx(scale.low).margin(1e-9 * span));
        CHECK(scale.ticks.back().value == Approx(scale.high).margin(1e-9 * span));
    }
    for (int i = 0; i < 300; ++i) {
        const double low = std::pow(10, exponent(random)),
                     high = low * std::pow(10, 0.3 + std::abs(exponent(random)));
        INFO(low << " to " << high);
        check_sound(logarithmic(low, high, 7), 7);
    }
    for (const double huge : {1e299, -1e299, 1e-299, 5e-324}) {
        check_sound(rounded(0, std::abs(huge), 5), 5);
        check_sound(rounded(std::min(huge, -huge), std::max(huge, -huge), 5), 5);
    }
}

TEST_CASE("chart: a thinned curve keeps its ends and its peaks") {
    std::vector<Chart::Point> points;
    for (int i = 0; i <= 100000; ++i) points.push_back({static_cast<double>(i), std::sin(i * 1e-3)});
    points[31234].y = 50;
    points[77777].y = -60;
    const auto few = thinned(points, 0, 100000, 100);
    CHECK(few.size() <= 4 * 101);
    CHECK(few.size() > 100);
    CHECK(few.front().x == 0);
    CHECK(few.back().x == 100000);
    double low = 0, high = 0;
    for (std::size_t i = 0; i < few.size(); ++i) {
        low = std::min(low, few[i].y);
        high = std::max(high, few[i].y);
        if (i > 0) CHECK(few[i].x > few[i - 1].x);
    }
    CHECK(low == -60);
    CHECK(high == 50);
    const std::vector<Chart::Point> two{{0, 1}, {1, 2}};
    CHECK(thinned(two, 0, 1, 100).size() == 2);
}
