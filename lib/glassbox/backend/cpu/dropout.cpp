#include <algorithm>
#include <cstdint>
#include <cstring>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/random/detail/threefry.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

constexpr index_t chunk = index_t{1} << 14;  // elements a thread takes at a time

// 16 counters in one vector give the words of 32 elements.
constexpr index_t counters = 16, width = 2 * counters;
typedef std::uint32_t Words __attribute__((vector_size(counters * sizeof(std::uint32_t))));

// The words of 16 counters in element order: first, second, first, second, …
[[gnu::always_inline]] inline void draw(TwoWords key, std::uint32_t high, const Words& low,
                                        std::uint32_t* words) {
    Words x = Words{} + high, y = low;
    threefry(key, x, y);
    const Words lower = __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const Words upper =
        __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    std::memcpy(words, &lower, sizeof lower);
    std::memcpy(words + counters, &upper, sizeof upper);
}

// n elements of y from x, which may be y. `first` is the index of the first one in the whole tensor: an even
// number with the same upper counter word as the last one.
GLASSBOX_CLONES void drop_run(const real* x, real* y, index_t first, index_t n, const DropoutParams& params) {
    const TwoWords key = params.key.value();
    const std::uint32_t dropped = params.dropped, high = static_cast<std::uint32_t>(first / 2 >> 32);
    const real scale = params.scale;
    Words low =
        Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + static_cast<std::uint32_t>(first / 2);
    for (index_t i = 0; i < n; i += width, low += static_cast<std::uint32_t>(counters)) {
        const std::size_t bytes = static_cast<std::size_t>(std::min(width, n - i)) * sizeof(real);
        std::uint32_t words[width];
        draw(key, high, low, words);
        real values[width];
        if (bytes == sizeof values) std::memcpy(values, x + i, sizeof values);
        else std::memset(values, 0, sizeof values), std::memcpy(values, x + i, bytes);
        GLASSBOX_VECTOR_LOOP
        for (index_t j = 0; j < width; ++j)
            values[j] *= words[j] >> 8 < dropped ? real(0) : scale;  // a product: NaN and ∞ are not lost
        if (bytes == sizeof values) std::memcpy(y + i, values, sizeof values);
        else std::memcpy(y + i, values, bytes);
    }
}

}  // namespace

void CpuBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    const bool contiguous = x.contiguous();
    if (!contiguous) copy(x, y);
    const real* from = contiguous ? x.data : y.data;
    parallel_for(y.shape.numel(), chunk, [&](index_t begin, index_t end) {
        drop_run(from + begin, y.data + begin, begin, end - begin, params);
    });
}

}  // namespace glassbox
