#include <glassbox/ops/detail/integers.h>

#include <cmath>

#include <glassbox/backend/recording.h>
#include <glassbox/ops/detail/position.h>

namespace glassbox::detail {
namespace {

bool is_wrong(real x, real min, real max) { return !(x >= min) || !(x <= max) || x != std::trunc(x); }

// The first loop has no early exit, so that it vectorises.
std::optional<NonInteger> first_wrong(const real* x, const Shape& shape, real min, real max) {
    const index_t n = shape.numel();
    int wrong = 0;
    for (index_t i = 0; i < n; ++i) wrong |= is_wrong(x[i], min, max);
    if (!wrong) return std::nullopt;
    index_t at = 0;
    while (!is_wrong(x[at], min, max)) ++at;
    return NonInteger{x[at], Shape(position_of(shape, at)).str()};
}

// The largest real that is at most n, which beyond 2²⁴ may lie between two floats.
real rounded_down(index_t n) {
    const real nearest = static_cast<real>(n);
    const bool is_above = nearest >= real(0x1p63) || static_cast<index_t>(nearest) > n;
    return is_above ? std::nextafter(nearest, real(0)) : nearest;
}

}  // namespace

std::optional<NonInteger> first_non_integer(const Tensor& x, index_t min, index_t max) {
    if (Recording::is_on()) return std::nullopt;
    const real from = static_cast<real>(min), to = rounded_down(max);
    if (x.device() == Device::cpu && x.contiguous()) return first_wrong(x.data(), x.shape(), from, to);
    return first_wrong(x.values().data(), x.shape(), from, to);
}

}  // namespace glassbox::detail
