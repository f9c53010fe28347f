#include <algorithm>
#include <cstdint>
#include <cstring>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/random/detail/threefry.h>
#include <glassbox/tensor/detail/clones.h>

namespace glassbox {
namespace {

constexpr index_t piece = index_t{1} << 14;  // elements a thread takes at a time

// 16 counters side by side give the words of 32 elements.
constexpr index_t counters = 16, together = 2 * counters;
typedef std::uint32_t Words __attribute__((vector_size(counters * sizeof(std::uint32_t))));

// The words of 16 counters in the elements' order: first, second, first, second, …
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

// n elements of y from those of x, which may be y, the first of them number `first` of the whole: an even
// number whose counter shares its upper half with the last one's.
GLASSBOX_CLONES void drop_run(const real* x, real* y, index_t first, index_t n, const DropoutParams& params) {
    const TwoWords key = params.key.value();
    const std::uint32_t dropped = params.dropped, high = static_cast<std::uint32_t>(first / 2 >> 32);
    const real scale = params.scale;
    Words low =
        Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + static_cast<std::uint32_t>(first / 2);
    for (index_t i = 0; i < n; i += together, low += static_cast<std::uint32_t>(counters)) {
        const std::size_t bytes = static_cast<std::size_t>(std::min(together, n - i)) * sizeof(real);
        std::uint32_t words[together];
        draw(key, high, low, words);
        real some[together];
        if (bytes == sizeof some) std::memcpy(some, x + i, sizeof some);
        else std::memset(some, 0, sizeof some), std::memcpy(some, x + i, bytes);
        GLASSBOX_VECTOR_LOOP
        for (index_t j = 0; j < together; ++j)
            some[j] *= words[j] >> 8 < dropped ? real(0) : scale;  // NaN and ∞ times 0 stay to be seen
        if (bytes == sizeof some) std::memcpy(y + i, some, sizeof some);
        else std::memcpy(y + i, some, bytes);
    }
}

}  // namespace

void CpuBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    const bool in_order = x.contiguous();
    if (!in_order) copy(x, y);
    const real* from = in_order ? x.data : y.data;
    parallel_for(y.shape.numel(), piece, [&](index_t begin, index_t end) {
        drop_run(from + begin, y.data + begin, begin, end - begin, params);
    });
}

}  // namespace glassbox
