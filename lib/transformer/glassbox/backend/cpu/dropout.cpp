#include <algorithm>
#include <cstdint>
#include <cstring>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/registers.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/random/threefry.h>

namespace glassbox {

namespace {

// A register of counters gives the words of twice as many elements.
template <class Set>
struct CounterWords {
    static constexpr index_t counters = Set::bytes / sizeof(std::uint32_t), elements = 2 * counters;
    using Register = typename VectorOf<std::uint32_t, Set::bytes>::type;
};

// The words of some counters in element order: first, second, first, second, …
template <class R>
[[GLASSBOX_INLINED]] inline void draw(TwoWords key, std::uint32_t high, const R& low, std::uint32_t* words) {
    R x = R{} + high, y = low, both[2];
    threefry(key, x, y);
    zip(x, y, both);
    std::memcpy(words, both, sizeof both);
}

// n elements of y from x, which may be y. `first` is the index of the first one in the whole tensor: an even
// number with the same upper counter word as the last one.
constexpr Kernel drop_run = []<class Set>(Set, const real* x, real* y, index_t first, index_t n,
                                          const DropoutParams& params) {
    const TwoWords key = params.key.value();
    const std::uint32_t dropped = params.dropped, high = static_cast<std::uint32_t>(first / 2 >> 32);
    const real scale = params.scale;
    constexpr index_t counters = CounterWords<Set>::counters, width = CounterWords<Set>::elements;
    typename CounterWords<Set>::Register low;
    for (index_t j = 0; j < counters; ++j) low[j] = static_cast<std::uint32_t>(first / 2 + j);
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
};

}  // namespace

void CpuBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    const bool contiguous = x.contiguous();
    if (!contiguous) copy(x, y);
    const real* from = contiguous ? x.data : y.data;
    parallel_for(y.shape.numel(), sizes().piece, [&](index_t begin, index_t end) {
        drop_run(from + begin, y.data + begin, begin, end - begin, params);
    });
}

}  // namespace glassbox
