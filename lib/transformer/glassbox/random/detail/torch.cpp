#include <glassbox/random/detail/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <glassbox/random/detail/cephes.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>

namespace glassbox::detail {
namespace {

constexpr std::size_t block = 16;

// Blocks of 16 uniforms in [0, 1) → 16 normals, in place (Box and Muller 1958): in each block, element j is
// paired with element j + 8.
constexpr Kernel box_muller_blocks = [](auto, float* x, std::size_t blocks, float mean, float deviation) {
    constexpr std::size_t half = block / 2;
    for (float* end = x + blocks * block; x != end; x += block) {
        float cosines[half], sines[half];
        for (std::size_t j = 0; j < half; ++j) {
            const float radius = std::sqrt(-2.0f * cephes_log(1.0f - x[j]));
            const SineCosine turn =
                cephes_sine_cosine(static_cast<float>(2 * std::numbers::pi) * x[j + half]);
            cosines[j] = std::fma(radius * turn.cosine, deviation, mean);
            sines[j] = std::fma(radius * turn.sine, deviation, mean);
        }
        std::copy_n(cosines, half, x);
        std::copy_n(sines, half, x + half);
    }
};

}  // namespace

std::uint64_t TorchGenerator::two_words() {
    const std::uint64_t first = word();
    return (first << 32) | word();
}

double TorchGenerator::unit_double() {
    return static_cast<double>(two_words() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

// One normal in double by Box–Muller: returns the cosine half and keeps the sine half for the next call.
double TorchGenerator::small_normal() {
    if (pending_) {
        const double value = *pending_;
        pending_.reset();
        return value;
    }
    const double u1 = unit_double(), u2 = unit_double();
    const double radius = std::sqrt(-2 * std::log1p(-u2)), angle = 2 * std::numbers::pi * u1;
    pending_ = radius * std::sin(angle);
    return radius * std::cos(angle);
}

void TorchGenerator::normal(std::span<float> out, float mean, float deviation) {
    if (out.size() < block) {
        for (float& x : out)
            x = static_cast<float>(small_normal() * static_cast<double>(deviation) +
                                   static_cast<double>(mean));
        return;
    }
    for (float& x : out) x = unit_float();
    box_muller_blocks(out.data(), out.size() / block, mean, deviation);
    if (out.size() % block == 0) return;
    // The last 16 are redrawn as one block, which overwrites the end of the last full block.
    const std::span<float> tail = out.last(block);
    for (float& x : tail) x = unit_float();
    box_muller_blocks(tail.data(), 1, mean, deviation);
}

void TorchGenerator::uniform(std::span<float> out, float low, float high) {
    if (!(low <= high)) fail("uniform: low must not be above high, got {} and {}", low, high);
    const float width = high - low;
    for (float& x : out) {
        const float y = std::fma(unit_float(), width, low);
        x = y == high ? low : y;  // rounding can reach the open end
    }
}

void TorchGenerator::randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high) {
    if (!(low < high)) fail("randint: low must be below high, got {} and {}", low, high);
    const std::uint64_t base = static_cast<std::uint64_t>(low),
                        range = static_cast<std::uint64_t>(high) - base;
    const bool wide = range >= (std::uint64_t{1} << 28);
    for (std::int64_t& x : out) x = static_cast<std::int64_t>(base + (wide ? two_words() : word()) % range);
}

void TorchGenerator::bernoulli(std::span<float> out, double p) {
    if (!(p >= 0 && p <= 1)) fail("bernoulli: p must be in [0, 1], got {}", p);
    for (float& x : out) x = unit_double() < p ? 1.0f : 0.0f;
}

std::vector<index_t> TorchGenerator::permutation(index_t n) {
    // Larger ones take another algorithm in PyTorch.
    constexpr index_t max_size = std::numeric_limits<std::uint32_t>::max() / 20 - 1;
    if (n < 0 || n > max_size) fail("permutation: the size must be from 0 to {}, got {}", max_size, n);
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        std::swap(order[i], order[i + word() % (order.size() - i)]);
    return order;
}

}  // namespace glassbox::detail
