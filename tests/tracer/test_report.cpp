#include <cmath>

#include "support/catch.h"
#include "support/compare.h"
#include "tracer/report/report.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox_test::infinity;
using glassbox_test::NaN;

namespace {

std::vector<Report::Check> checks(const std::string& path, const Tensor& value, const Tensor& visible = {}) {
    Report report;
    report.steps.push_back({path, value});
    for (Report::Step& step : report.steps) add_checks(step, visible);
    return report.steps[0].checks;
}

}  // namespace

TEST_CASE("report: rows that sum to 1 are confirmed") {
    const auto found = checks("attention", Tensor({{real(0.5), real(0.5)}, {1, 0}}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].holds);
    CHECK(found[0].text == "every row sums to 1 exactly");
}

TEST_CASE("report: rows that do not sum to 1 are not confirmed") {
    const auto found = checks("attention", Tensor({{real(0.5), real(0.25)}, {1, 0}}));
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].holds);
    CHECK(found[0].text == "some row does not sum to 1 (off by up to 0.25)");
}

TEST_CASE("report: a row of NaN does not sum to 1, and NaN are counted with their position") {
    const auto some = checks("attention", Tensor({{real(0.5), real(0.5)}, {NaN, NaN}}));
    REQUIRE(some.size() == 2);
    CHECK_FALSE(some[0].holds);
    CHECK(some[0].text == "1 of 2 rows sum to 1 exactly, the others are NaN");
    CHECK_FALSE(some[1].holds);
    CHECK(some[1].text == "2 NaN of 4 numbers, the first at [1,0]");
    const auto all = checks("attention", Tensor({{NaN, NaN}}));
    CHECK(all.at(0).text == "no row sums to 1: all are NaN");
    CHECK_FALSE(all.at(0).holds);
}

TEST_CASE("report: hidden weights that are not 0 are detected") {
    const Tensor visible({{1, 0}, {1, 1}});
    const auto good = checks("attention", Tensor({{1, 0}, {real(0.5), real(0.5)}}), visible);
    REQUIRE(good.size() == 2);
    CHECK(good[1].holds);
    CHECK(good[1].text == "all 1 hidden weights are exactly 0");
    const auto bad = checks("attention", Tensor({{real(0.75), real(0.25)}, {real(0.5), real(0.5)}}), visible);
    REQUIRE(bad.size() == 2);
    CHECK_FALSE(bad[1].holds);
    CHECK(bad[1].text == "1 of 1 hidden weights are not 0");
}

TEST_CASE("report: a row that sees no key is reported, with the consequence") {
    const Tensor visible({{0, 0}, {1, 1}});
    const auto finite = checks("attention", Tensor({{real(0.5), real(0.5)}, {1, 0}}), visible);
    CHECK(finite.back().text == "1 row sees no key at all: equal scores give equal weights to all keys");
    const auto infinite = checks("attention", Tensor({{NaN, NaN}, {1, 0}}), visible);
    CHECK(infinite.at(1).text == "1 row sees no key at all: softmax of -inf alone is 0/0");
    CHECK_FALSE(infinite.at(1).holds);
}

TEST_CASE("report: infinity is accepted in masked scores, and reported elsewhere") {
    const Tensor visible({{1, 0}});
    const auto masked = checks("masked", Tensor({{1, -infinity}}), visible);
    REQUIRE(masked.size() == 1);
    CHECK(masked[0].text == "1 of 2 scores hidden");
    CHECK(checks("masked", Tensor({{NaN, -infinity}}), visible).back().text ==
          "1 NaN of 2 numbers, the first at [0,0]");
    CHECK(checks("logits", Tensor({{1, -infinity}})).at(0).text ==
          "1 infinite of 2 numbers, the first at [0,1]");
    CHECK(checks("logits", Tensor({{NaN, infinity}})).at(0).text ==
          "1 NaN and 1 infinite of 2 numbers, the first at [0,0]");
}
