#include <cmath>

#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

// On the host: exp(p ln x) would lose precision, and the sign of a negative x.
void Backend::pow(const ConstView& x_view, double exponent, const View& y) {
    std::vector<real> numbers = on_host(Value(*this, x_view));
    for (real& each : numbers) each = static_cast<real>(std::pow(static_cast<double>(each), exponent));
    assign(y, Value(*this, Tensor(y.shape, numbers, device())));
}

}  // namespace glassbox
