#include "support/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <glassbox/tensor/format.h>

#include "support/catch.h"

namespace glassbox_test {

using namespace glassbox;

namespace {

bool is_close(double actual, double expected, const Tolerance& tolerance) {
    if (std::isnan(actual) || std::isnan(expected))
        return tolerance.nan_expected && std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
    return std::abs(actual - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

// The position of the i-th element in row-major order: "[1, 0]".
std::string index_text(std::size_t i, const Shape& shape) {
    std::vector<index_t> position(static_cast<std::size_t>(shape.rank()));
    index_t rest = static_cast<index_t>(i);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        position[static_cast<std::size_t>(axis)] = rest % shape[axis];
        rest /= shape[axis];
    }
    return fmt::format("[{}]", fmt::join(position, ", "));
}

}  // namespace

std::string find_difference(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                            const std::string& path) {
    if (!actual.defined()) return fmt::format("{}: the actual tensor is undefined", path);
    if (!expected.defined()) return fmt::format("{}: the expected tensor is undefined", path);
    if (actual.shape() != expected.shape())
        return fmt::format("{}: shape {}, expected {}", path, actual.shape(), expected.shape());
    const std::vector<real> a = actual.values(), e = expected.values();
    std::size_t first = a.size(), count = 0;
    for (std::size_t i = a.size(); i-- > 0;) {
        if (is_close(a[i], e[i], tolerance)) continue;
        first = i;
        ++count;
    }
    if (count == 0) return "";
    return fmt::format("{}{}: {:.9g}, expected {:.9g} (difference {:.3g}; {} of {} elements differ)", path,
                       index_text(first, actual.shape()), a[first], e[first],
                       static_cast<double>(a[first]) - static_cast<double>(e[first]), count, a.size());
}

void check_close(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                 const std::string& path) {
    const std::string difference = find_difference(actual, expected, tolerance, path);
    INFO(difference);
    CHECK(difference.empty());
}

}  // namespace glassbox_test
