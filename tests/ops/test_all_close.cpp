#include <glassbox/ops/testing.h>

#include <limits>
#include <sstream>

#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"

using namespace glassbox;
using namespace glassbox_test;

DEVICE_TEST("all_close: rounding is accepted, more is not") {
    const Tensor a = Tensor{1, 100}.to(device);
    const double much = Tolerance{}.relative;
    const auto moved = [&](double by) { return Tensor{1, real(100 * (1 + by))}; };
    CHECK(all_close(a, moved(much / 2)));
    CHECK(!all_close(a, moved(3 * much)));
    CHECK(all_close(a, moved(3 * much), {.relative = 4 * much}));
    CHECK(!all_close(a, moved(much / 2), {.absolute = 0, .relative = 0}));
}

TEST_CASE("all_close reports the position, both values, how many differ, and by how much") {
    const Agreement found = all_close({{1, 2}, {3, 4}}, {{1, 2}, {3.5f, 5}}, {}, "y");
    CHECK(found.str() == "y[1, 0]: 3, expected 3.5 (difference -0.5; 2 of 4 elements differ, by up to 1)");
    CHECK(all_close({1, 2}, {1, 2.5f}, {.absolute = 1}).str() == "actual: 2 elements agree within 0.5");
    std::ostringstream out;
    out << found;
    CHECK(out.str() == found.str());
}

TEST_CASE("all_close: different shapes, NaN and infinities are mismatches, and are reported") {
    CHECK(all_close({1, 2}, {{1, 2}}).str() == "actual: shape (2,), expected (1, 2)");
    CHECK(all_close(Tensor(), {1}).str() == "actual: the actual tensor is undefined");
    CHECK(all_close({NaN, 1}, {2, 3}).str() ==
          "actual[0]: nan, expected 2 (difference nan; 2 of 2 elements differ, by up to 2)");
    const Tolerance everything{.absolute = 1e30, .relative = 1e30};
    CHECK(!all_close({NaN}, {NaN}, everything));
    CHECK(all_close({NaN, 1}, {NaN, 1}, Tolerance{}.with_nan()));
    CHECK(!all_close({infinity}, {1}, everything));
    CHECK(!all_close({-infinity}, {infinity}, everything));
    CHECK(all_close({infinity, 1}, {infinity, 1}).str() == "actual: 2 elements agree within 0");
    CHECK(all_close({1, NaN}, {1, NaN}).str() ==
          "actual[1]: nan, expected nan (NaN equals nothing, except with a tolerance's with_nan(); 1 of 2 "
          "elements differ)");
    CHECK(all_close({-NaN}, {2}).str() ==
          "actual[0]: nan, expected 2 (difference nan; 1 of 1 elements differ)");
}
