#include <glassbox/random/detail/jax.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <glassbox/random/detail/ziggurat.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>

namespace glassbox::detail {
namespace {

constexpr float sqrt2 = 1.41421356237309504880f;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Counters 0 … n−1: the first half in one lane, the second half (a 0 after it when n is odd) in the other.
constexpr Kernel fill_bits = [](auto, TwoWords key, std::uint32_t* out, std::uint32_t n) {
    const std::uint32_t half = n / 2, second = n - half;
    for (std::uint32_t i = 0; i < half; ++i) {
        const TwoWords words = threefry(key, {i, second + i});
        out[i] = words.first;
        out[second + i] = words.second;
    }
    if (second != half) out[half] = threefry(key, {half, 0}).first;
};

// Each number from its own 64-bit counter, both lanes combined.
constexpr Kernel fill_partitionable_bits = [](auto, TwoWords key, std::uint32_t* out, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const TwoWords words = threefry(key, {0, i});
        out[i] = words.first ^ words.second;
    }
};

// 23 random bits become the fraction of a float in [1, 2), which is shifted and scaled to [low, high).
constexpr Kernel words_to_uniforms = [](auto, float* x, std::size_t n, float low, float high) {
    const float width = high - low;
    for (std::size_t i = 0; i < n; ++i) {
        const float unit =
            std::bit_cast<float>((std::bit_cast<std::uint32_t>(x[i]) >> 9) | 0x3f800000u) - 1.0f;
        const float y = std::fma(unit, width, low);
        x[i] = y > low ? y : low;
    }
};

// The random words are generated in place of the floats.
std::span<std::uint32_t> as_words(std::span<float> x) {
    return {reinterpret_cast<std::uint32_t*>(x.data()), x.size()};
}

// The uniform in (−1, 1) that the inverse CDF maps to x.
float uniform_at(float x) { return std::erf(x / sqrt2); }

}  // namespace

void JaxKey::bits(std::span<std::uint32_t> out) const {
    if (out.size() >= std::numeric_limits<std::uint32_t>::max())
        fail("random: at most 2^32 - 2 numbers from one key, got {}", out.size());
    const auto count = static_cast<std::uint32_t>(out.size());
    if (partitionable) fill_partitionable_bits(TwoWords{high, low}, out.data(), count);
    else fill_bits(TwoWords{high, low}, out.data(), count);
}

std::vector<JaxKey> JaxKey::split(index_t count) const {
    if (count < 0) fail("split: the number of keys must not be negative, got {}", count);
    std::vector<JaxKey> keys(static_cast<std::size_t>(count));
    if (partitionable) {
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = fold_in(static_cast<std::uint32_t>(i));
        return keys;
    }
    std::vector<std::uint32_t> words(2 * static_cast<std::size_t>(count));
    bits(words);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {words[2 * i], words[2 * i + 1]};
    return keys;
}

std::array<JaxKey, 2> JaxKey::split() const {
    const std::vector<JaxKey> keys = split(2);
    return {keys[0], keys[1]};
}

JaxKey JaxKey::fold_in(std::uint32_t data) const {
    const TwoWords words = threefry({high, low}, {0, data});  // the key of the seed `data`, as a counter
    return {words.first, words.second, partitionable};
}

void JaxKey::uniform(std::span<float> out, float lowest, float highest) const {
    bits(as_words(out));
    words_to_uniforms(out.data(), out.size(), lowest, highest);
}

void JaxKey::normal(std::span<float> out) const {
    uniform(out, std::nextafter(-1.0f, 0.0f), 1.0f);
    erfinv_in_place(out);
    for (float& x : out) x *= sqrt2;
}

void JaxKey::truncated_normal(std::span<float> out, float lower, float upper) const {
    if (!(lower < upper)) fail("truncated_normal: lower must be below upper, got {} and {}", lower, upper);
    uniform(out, uniform_at(lower), uniform_at(upper));
    erfinv_in_place(out);
    const float first = std::nextafter(lower, infinity), last = std::nextafter(upper, -infinity);
    for (float& x : out) x = std::clamp(sqrt2 * x, first, last);
}

void JaxKey::randint(std::span<std::int32_t> out, std::int32_t lowest, std::int32_t end) const {
    const auto [high_key, low_key] = split();
    std::vector<std::uint32_t> high_words(out.size()), low_words(out.size());
    high_key.bits(high_words);
    low_key.bits(low_words);
    // (2³² · high + low) mod span in 32-bit arithmetic, with the same overflow as JAX's.
    const std::uint32_t base = static_cast<std::uint32_t>(lowest);
    const std::uint32_t span = lowest < end ? static_cast<std::uint32_t>(end) - base : 1;
    const std::uint32_t two16 = 65536u % span, two32 = (two16 * two16) % span;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t offset = ((high_words[i] % span) * two32 + low_words[i] % span) % span;
        out[i] = static_cast<std::int32_t>(base + offset);
    }
}

std::vector<index_t> JaxKey::permutation(index_t n) const {
    if (n < 0) fail("permutation: the size must not be negative, got {}", n);
    std::vector<index_t> order(static_cast<std::size_t>(n)), rank(order.size()), sorted(order.size());
    std::iota(order.begin(), order.end(), index_t{0});
    std::vector<std::uint32_t> words(order.size());
    // Sort by random words; enough rounds that no two elements are likely to tie in all of them.
    const double ln_words = std::log(4294967295.0);
    const int rounds =
        static_cast<int>(std::ceil(3 * std::log(std::max<double>(1, static_cast<double>(n))) / ln_words));
    JaxKey key = *this;
    for (int round = 0; round < rounds; ++round) {
        const auto [next, subkey] = key.split();
        key = next;
        subkey.bits(words);
        std::iota(rank.begin(), rank.end(), index_t{0});
        const auto word = [&](index_t i) { return words[static_cast<std::size_t>(i)]; };
        std::stable_sort(rank.begin(), rank.end(), [&](index_t a, index_t b) { return word(a) < word(b); });
        std::transform(rank.begin(), rank.end(), sorted.begin(),
                       [&](index_t i) { return order[static_cast<std::size_t>(i)]; });
        order.swap(sorted);
    }
    return order;
}

}  // namespace glassbox::detail
