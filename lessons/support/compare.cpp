#include "check.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::index_t;

namespace {

double misfit_of(double actual, double expected) {
    if (actual == expected) return 0;
    const double by = std::abs(actual - expected) / (tolerance * std::max(1.0, std::abs(expected)));
    return std::isnan(by) ? INFINITY : by;
}

bool is_close(double actual, double expected) { return misfit_of(actual, expected) <= 1; }

std::string place(index_t at, const glassbox::Shape& shape) {
    std::vector<index_t> position(static_cast<std::size_t>(shape.rank()));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        position[static_cast<std::size_t>(axis)] = at % shape[axis];
        at /= shape[axis];
    }
    return fmt::format("[{}]", fmt::join(position, ", "));
}

}  // namespace

double misfit(const glassbox::Tensor& actual, const glassbox::Tensor& expected) {
    if (actual.shape() != expected.shape()) return INFINITY;
    const std::vector<glassbox::real> a = actual.values(), e = expected.values();
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, misfit_of(static_cast<double>(a[i]), static_cast<double>(e[i])));
    return most;
}

std::string difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected) {
    const std::vector<glassbox::real> a = actual.values(), e = expected.values();
    std::size_t first = a.size(), count = 0;
    for (std::size_t i = a.size(); i-- > 0;)
        if (!is_close(static_cast<double>(a[i]), static_cast<double>(e[i]))) first = i, ++count;
    if (count == 0) return "";
    const double shown = std::isnan(a[first]) ? NAN : static_cast<double>(a[first]);  // without its sign
    return fmt::format("{} is {:.6g}, expected {:.6g} ({} of {} numbers differ)",
                       place(static_cast<index_t>(first), actual.shape()), shown, e[first], count, a.size());
}

}  // namespace lesson
