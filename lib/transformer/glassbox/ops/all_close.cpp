#include <glassbox/ops/testing.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <glassbox/ops/detail/position.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

bool is_close(double actual, double expected, const Tolerance& tolerance) {
    if (std::isnan(actual) || std::isnan(expected))
        return tolerance.nan_expected && std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
    return std::abs(actual - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

// 0 for two equal infinities; NaN if either side is NaN.
double difference(real actual, real expected) {
    return actual == expected ? 0 : static_cast<double>(actual) - static_cast<double>(expected);
}

double largest_difference(const std::vector<real>& actual, const std::vector<real>& expected) {
    double largest = 0;
    for (std::size_t i = 0; i < actual.size(); ++i)
        if (const double size = std::abs(difference(actual[i], expected[i])); size > largest) largest = size;
    return largest;
}

// NaN without its sign, which has no meaning.
std::string shown(double x, int digits) { return std::isnan(x) ? "nan" : fmt::format("{:.{}g}", x, digits); }

}  // namespace

std::ostream& operator<<(std::ostream& out, const Agreement& found) { return out << found.str(); }

Agreement all_close(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                    const std::string& name) {
    if (!actual.defined()) return {false, fmt::format("{}: the actual tensor is undefined", name)};
    if (!expected.defined()) return {false, fmt::format("{}: the expected tensor is undefined", name)};
    if (actual.shape() != expected.shape())
        return {false, fmt::format("{}: shape {}, expected {}", name, actual.shape(), expected.shape())};
    const std::vector<real> a = actual.values(), e = expected.values();
    std::size_t first = a.size(), count = 0;
    for (std::size_t i = a.size(); i-- > 0;) {
        if (is_close(a[i], e[i], tolerance)) continue;
        first = i;
        ++count;
    }
    const double largest = largest_difference(a, e);
    if (count == 0)
        return {true, fmt::format("{}: {} elements agree within {:.3g}", name, a.size(), largest)};
    const bool are_nan = std::isnan(a[first]) && std::isnan(e[first]);
    return {false,
            fmt::format("{}[{}]: {}, expected {} ({}; {} of {} elements differ{})", name,
                        fmt::join(position_of(actual.shape(), static_cast<index_t>(first)), ", "),
                        shown(a[first], 9), shown(e[first], 9),
                        are_nan ? "NaN equals nothing, except with a tolerance's with_nan()"
                                : "difference " + shown(difference(a[first], e[first]), 3),
                        count, a.size(), largest > 0 ? fmt::format(", by up to {:.3g}", largest) : "")};
}

}  // namespace glassbox
