#include <glassbox/random/generators.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <glassbox/random/detail/seed_sequence.h>
#include <glassbox/random/detail/ziggurat.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

NumpyGenerator::NumpyGenerator(std::uint64_t seed) : NumpyGenerator(seed_sequence(seed)) {}
NumpyGenerator::NumpyGenerator(std::span<const std::uint64_t> seeds) : NumpyGenerator(seed_sequence(seeds)) {}

NumpyGenerator::NumpyGenerator(const std::array<std::uint64_t, 4>& words) {
    const Wide start = (Wide{words[0]} << 64) | words[1];
    increment_ = (((Wide{words[2]} << 64) | words[3]) << 1) | 1;
    word();
    state_ += start;
    word();
}

// One step of the 128-bit linear congruential generator; the output is the xor of the state's halves, rotated
// by its top 6 bits.
std::uint64_t NumpyGenerator::word() {
    constexpr Wide multiplier = (Wide{0x2360ed051fc65da4u} << 64) | 0x4385df649fccf645u;
    state_ = state_ * multiplier + increment_;
    const std::uint64_t high = static_cast<std::uint64_t>(state_ >> 64),
                        low = static_cast<std::uint64_t>(state_);
    return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t NumpyGenerator::half_word() {
    if (pending_) {
        const std::uint32_t value = *pending_;
        pending_.reset();
        return value;
    }
    const std::uint64_t both = word();
    pending_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
}

// Lemire, "Fast Random Integer Generation in an Interval", 2019: the high word of random · range, rejecting
// the few values that would bias the result; in 32 bits if the range fits.
std::uint64_t NumpyGenerator::bounded(std::uint64_t last) {
    if (last == 0) return 0;
    if (last == std::numeric_limits<std::uint32_t>::max()) return half_word();
    if (last < std::numeric_limits<std::uint32_t>::max()) {
        const std::uint32_t range = static_cast<std::uint32_t>(last) + 1, rejected = (0u - range) % range;
        std::uint64_t product = std::uint64_t{half_word()} * range;
        while (static_cast<std::uint32_t>(product) < rejected) product = std::uint64_t{half_word()} * range;
        return product >> 32;
    }
    const std::uint64_t range = last + 1, rejected = (0u - range) % range;
    Wide product = Wide{word()} * range;
    while (static_cast<std::uint64_t>(product) < rejected) product = Wide{word()} * range;
    return static_cast<std::uint64_t>(product >> 64);
}

// Rejection sampling from as many low bits as `last` has.
std::uint64_t NumpyGenerator::masked(std::uint64_t last) {
    const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(last);
    const bool narrow = last <= std::numeric_limits<std::uint32_t>::max();
    for (;;) {
        const std::uint64_t value = (narrow ? half_word() : word()) & mask;
        if (value <= last) return value;
    }
}

void NumpyGenerator::integers(std::span<std::int64_t> out, std::int64_t low, std::int64_t high) {
    if (!(low < high)) fail("integers: low must be below high, got {} and {}", low, high);
    const std::uint64_t base = static_cast<std::uint64_t>(low),
                        last = static_cast<std::uint64_t>(high) - base - 1;
    for (std::int64_t& x : out) x = static_cast<std::int64_t>(base + bounded(last));
}

void NumpyGenerator::random(std::span<double> out) {
    for (double& x : out) x = unit();
}

void NumpyGenerator::uniform(std::span<double> out, double low, double high) {
    if (!(low <= high)) fail("uniform: low must not be above high, got {} and {}", low, high);
    const double width = high - low;
    for (double& x : out) x = low + width * unit();
}

void NumpyGenerator::standard_normal(std::span<double> out) {
    for (double& x : out) x = normal();
}

double NumpyGenerator::normal() {
    const Ziggurat& table = ziggurat();
    for (;;) {
        const std::uint64_t bits = word();
        const std::size_t layer = bits & 0xff;
        const std::uint64_t mantissa = (bits >> 9) & 0xfffffffffffffu;
        const bool negative = (bits & 0x100) != 0;
        const double size = static_cast<double>(mantissa) * table.width[layer], x = negative ? -size : size;
        if (mantissa < table.inside[layer]) return x;
        if (layer == 0) {
            const double magnitude = tail();
            return (mantissa & 0x100) != 0 ? -magnitude : magnitude;
        }
        const double bottom = table.height[layer], top = table.height[layer - 1];
        if ((top - bottom) * unit() + bottom < std::exp(-0.5 * x * x)) return x;
    }
}

// |x| beyond the lowest layer (Marsaglia 1964).
double NumpyGenerator::tail() {
    constexpr double inverse_start = 0.27366123732975828;
    for (;;) {
        const double x = -inverse_start * std::log1p(-unit()), y = -std::log1p(-unit());
        if (y + y > x * x) return Ziggurat::tail_start + x;
    }
}

std::vector<index_t> NumpyGenerator::permutation(index_t n) {
    if (n < 0) fail("permutation: the size must not be negative, got {}", n);
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    shuffle(std::span<index_t>(order));
    return order;
}

// Fisher–Yates from the last item down to `first`. Unlike shuffle(), it draws by Lemire's method.
void NumpyGenerator::shuffle_down_to(std::vector<index_t>& items, std::size_t first) {
    for (std::size_t i = items.size(); i-- > first;) std::swap(items[i], items[bounded(i)]);
}

// A large share of a large n: the end of a shuffle. Otherwise R. Floyd's algorithm (Bentley and Floyd, "A
// Sample of Brilliance", 1987): for j = n − count … n − 1 one of 0 … j, or j itself if that one has already
// been chosen; then shuffled.
std::vector<index_t> NumpyGenerator::choice(index_t n, index_t count) {
    if (count < 0 || n < count) fail("choice: {} out of {} cannot be chosen without repetition", count, n);
    std::vector<index_t> chosen;
    if (n > 10000 && count > n / 50) {
        chosen.resize(static_cast<std::size_t>(n));
        std::iota(chosen.begin(), chosen.end(), index_t{0});
        shuffle_down_to(chosen, static_cast<std::size_t>(std::max<index_t>(n - count, 1)));
        return {chosen.end() - count, chosen.end()};
    }
    for (index_t j = n - count; j < n; ++j) {
        const index_t one = static_cast<index_t>(bounded(static_cast<std::uint64_t>(j)));
        const bool taken = std::find(chosen.begin(), chosen.end(), one) != chosen.end();
        chosen.push_back(taken ? j : one);
    }
    shuffle_down_to(chosen, 1);
    return chosen;
}

}  // namespace glassbox
