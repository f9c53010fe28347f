#include <algorithm>
#include <bit>
#include <cstdint>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/clones.h>

namespace glassbox {
namespace {

constexpr index_t piece = index_t{1} << 14;  // elements a thread takes at a time

// Elements first … first + n − 1 of y, in place. `first` and the last one share the upper half of their
// counter.
GLASSBOX_CLONES void drop_run(real* y, index_t first, index_t n, const DropoutParams& params) {
    const std::uint32_t high = static_cast<std::uint32_t>(first >> 32),
                        low = static_cast<std::uint32_t>(first);
    const TwoWords key{params.key[0], params.key[1]};
    const std::uint32_t dropped = params.dropped;
    const real scale = params.scale;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n); ++i) {
        const std::uint32_t bits = threefry(key, {high, low + i}).first >> 8;
        y[i] *= bits < dropped ? real(0) : scale;  // NaN and ∞ times 0 stay to be seen
    }
}

}  // namespace

void CpuBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    copy(x, y);
    parallel_for(y.shape.numel(), piece,
                 [&](index_t begin, index_t end) { drop_run(y.data + begin, begin, end - begin, params); });
}

}  // namespace glassbox
