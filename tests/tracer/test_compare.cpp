// `--compare`: the differences between two backends.
#include "tracer/subject/side_by_side.h"

#include <cmath>
#include <limits>

#include "command.h"
#include "support/catch.h"
#include "support/compare.h"

using namespace glassbox_test;
using glassbox::real;
using glassbox::Tensor;
using glassbox::Trace;
using glassbox::tracer::units_apart;

namespace {

glassbox::tracer::BackendComparison compared(const std::vector<std::pair<std::string, Tensor>>& first,
                                             const std::vector<std::pair<std::string, Tensor>>& second) {
    Trace a;
    for (const auto& [name, value] : first) (void)glassbox::named(name, value);
    Trace b;
    for (const auto& [name, value] : second) (void)glassbox::named(name, value);
    return glassbox::tracer::compare_traces(a, "cuda", b, "cpu");
}

}  // namespace

TEST_CASE("compare: units in the last place count the steps from one number to the next") {
    for (const real x : {real(1), real(-1), real(0.1), real(3e30), real(1e-30), real(7)}) {
        const real next = std::nextafter(x, 2 * x);
        INFO(x);
        CHECK(units_apart(x, x) == 0);
        CHECK(units_apart(x, next) == Approx(1));
        CHECK(units_apart(std::nextafter(next, 2 * x), x) == Approx(2));
    }
    CHECK(units_apart(real(0), real(-0.0)) == 0);
    CHECK(units_apart(NaN, NaN) == 0);
    CHECK(units_apart(-infinity, -infinity) == 0);
    CHECK(units_apart(NaN, 1) == infinity);
    CHECK(units_apart(1, infinity) == infinity);
    CHECK(units_apart(infinity, -infinity) == infinity);
    CHECK(std::isfinite(units_apart(std::numeric_limits<real>::max(), 1)));
}

TEST_CASE("compare: each step's largest difference, its position, and both values") {
    const real one = 1, next = std::nextafter(std::nextafter(one, real(2)), real(2));
    const auto found = compared({{"Q", {{1, 2}, {3, 4}}}, {"logits", {{1, 2}, {one, 4}}}},
                                {{"Q", {{1, 2}, {3, 4}}}, {"logits", {{1, 2}, {next, 4}}}});
    CHECK(found.agrees);
    INFO(found.text);
    CHECK(has(found.text, "Q        (2, 2)   0\n"));
    CHECK(has(found.text, "logits   (2, 2)   2 ulp"));
    CHECK(has(found.text, "[1,0]"));
    CHECK(has(found.text, "All 2 steps agree up to rounding: at most 2 ulp."));
}

TEST_CASE("compare: more than rounding, a NaN and a missing step are not agreement") {
    const auto wrong = compared({{"Q", {{1, 2}}}}, {{"Q", {{1, real(2.001)}}}});
    CHECK_FALSE(wrong.agrees);
    CHECK(has(wrong.text, "far apart"));
    CHECK(has(wrong.text, "differ by more than rounding"));
    CHECK_FALSE(compared({{"Q", {NaN}}}, {{"Q", {real(1)}}}).agrees);
    CHECK(compared({{"Q", {NaN}}}, {{"Q", {NaN}}}).agrees);
    const auto missing = compared({{"Q", {real(1)}}}, {{"K", {real(1)}}});
    CHECK_FALSE(missing.agrees);
    CHECK(has(missing.text, "Q (1,) is a step of cuda only\nK (1,) is a step of cpu only\n"));
}
