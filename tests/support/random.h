#pragma once
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "support/catch.h"

#include "support/sanitizers.h"

namespace glassbox_test {

// Random numbers, shapes and memory layouts from a seed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    glassbox::index_t whole(glassbox::index_t min, glassbox::index_t max);  // inclusive
    double normal();
    double uniform(double min, double max);

    // On the cpu. Normal numbers rounded to 12 fractional bits, which float represents exactly, so that the
    // double build and golden files have the same values.
    glassbox::Tensor normal(const glassbox::Shape& shape);
    glassbox::Tensor uniform(const glassbox::Shape& shape, double min, double max);
    glassbox::Tensor zeros_and_ones(const glassbox::Shape& shape);  // about two thirds ones

    // Sizes 1 … max_size, and occasionally 0 with `empty`.
    glassbox::Shape shape(int min_rank, int max_rank, glassbox::index_t max_size, bool empty = true);
    // A shape that broadcasts to this one: some axes are 1, some leading axes missing.
    glassbox::Shape broadcastable(const glassbox::Shape& shape);

    // The same values on `device`, strided in a larger storage: with gaps, an offset and permuted axes. The
    // gaps hold NaN, so that reading one shows in the result.
    glassbox::Tensor scattered(const glassbox::Tensor& x, glassbox::Device device);

  private:
    std::mt19937_64 engine_;
};

// Fewer seeds under the address sanitizer, which checks memory rather than values and is ten times slower.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int seed_divisor = 6;
#else
inline constexpr int seed_divisor = 1;
#endif

// Calls f(random) for a number of seeds; a failure prints its seed. With GLASSBOX_SEED set, only for that
// seed.
template <class F>
void for_seeds(int count, F f) {
    const char* replay = std::getenv("GLASSBOX_SEED");
    const std::uint64_t first = replay ? std::strtoull(replay, nullptr, 10) : 1;
    const int seeds = replay ? 1 : (count + seed_divisor - 1) / seed_divisor;
    for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(seeds); ++seed) {
        INFO("to replay: GLASSBOX_SEED=" << seed);
        Random random(seed);
        f(random);
    }
}

}  // namespace glassbox_test
