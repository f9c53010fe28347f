#include <glassbox/backend/defaults/value.h>
#include <glassbox/random/threefry.h>

namespace glassbox {

using namespace detail;

using namespace defaults;

// y = x ∘ factors, each 0 or the scale. Computed on the host: no required kernel does bit operations.
void Backend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    const TwoWords key = current(params.key, device());
    std::vector<real> factors(static_cast<std::size_t>(y.shape.numel()));
    for (std::uint64_t i = 0; i < factors.size(); ++i) {
        const TwoWords counter{static_cast<std::uint32_t>(i / 2 >> 32), static_cast<std::uint32_t>(i / 2)};
        const TwoWords words = threefry(key, counter);
        const std::uint32_t bits = (i % 2 == 0 ? words.first : words.second) >> 8;
        factors[i] = bits < params.dropped ? real(0) : params.scale;
    }
    assign(y, Value(*this, x) * Value(*this, Tensor(y.shape, factors, device())));
}

}  // namespace glassbox
