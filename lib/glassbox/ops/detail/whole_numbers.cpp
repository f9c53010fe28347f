#include <glassbox/ops/detail/whole_numbers.h>

#include <cmath>

#include <glassbox/backend/detail/recording.h>
#include <glassbox/ops/detail/position.h>

namespace glassbox {
namespace {

bool is_wrong(real x, real least, real most) { return !(x >= least) || !(x <= most) || x != std::trunc(x); }

// All of them are looked at before any is named, so that the loop of the good case has no exit but its end.
std::optional<NotWhole> first_of(const real* x, const Shape& shape, real least, real most) {
    const index_t n = shape.numel();
    int wrong = 0;
    for (index_t i = 0; i < n; ++i) wrong |= is_wrong(x[i], least, most);
    if (!wrong) return std::nullopt;
    index_t at = 0;
    while (!is_wrong(x[at], least, most)) ++at;
    return NotWhole{x[at], Shape(position_of(shape, at)).str()};
}

}  // namespace

std::optional<NotWhole> first_not_whole(const Tensor& x, index_t least, index_t most) {
    if (Recording::is_on()) return std::nullopt;
    const real from = static_cast<real>(least), to = static_cast<real>(most);
    if (x.device() == Device::cpu && x.contiguous()) return first_of(x.data(), x.shape(), from, to);
    return first_of(x.values().data(), x.shape(), from, to);
}

}  // namespace glassbox
