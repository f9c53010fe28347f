#pragma once
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

#include "support/catch.h"

namespace glassbox_test {

// Random numbers, shapes and memory layouts of one seed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    glassbox::index_t whole(glassbox::index_t least, glassbox::index_t most);  // both may come
    double normal();
    double uniform(double least, double most);

    // On the cpu. Normal numbers, rounded to 12 bits after the point: a float holds them exactly, so that the
    // double build and golden files see the same ones.
    glassbox::Tensor normal(const glassbox::Shape& shape);
    glassbox::Tensor uniform(const glassbox::Shape& shape, double least, double most);
    glassbox::Tensor zeros_and_ones(const glassbox::Shape& shape);  // about two thirds ones

    // Sizes 1 … most_size, and now and then 0 where `empty` allows.
    glassbox::Shape shape(int least_rank, int most_rank, glassbox::index_t most_size, bool empty = true);
    // A shape that broadcasts with this one: some axes 1, some leading axes gone.
    glassbox::Shape broadcastable(const glassbox::Shape& shape);

    // The same numbers on `device`, in a larger storage, with gaps, an offset and the axes in a random order.
    // The gaps hold NaN: whoever reads one has it in the result.
    glassbox::Tensor scattered(const glassbox::Tensor& x, glassbox::Device device);

  private:
    std::mt19937_64 engine_;
};

// A sanitizer looks at memory, not at numbers, and makes an oracle that allocates ten times slower: there
// fewer seeds do.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int of_seeds = 6;
#else
inline constexpr int of_seeds = 1;
#endif

// Calls f(random) for a number of seeds; a failure prints its seed. With GLASSBOX_SEED=… in the environment
// only for that one.
template <class F>
void for_seeds(int count, F f) {
    const char* replay = std::getenv("GLASSBOX_SEED");
    const std::uint64_t first = replay ? std::strtoull(replay, nullptr, 10) : 1;
    const int seeds = replay ? 1 : (count + of_seeds - 1) / of_seeds;
    for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(seeds); ++seed) {
        INFO("to replay: GLASSBOX_SEED=" << seed);
        Random random(seed);
        f(random);
    }
}

}  // namespace glassbox_test
