#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <glassbox/random/detail/jax.h>
#include <glassbox/random/stream.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// NumPy's numpy.random.default_rng(seed): SeedSequence spreads the seed over the state of PCG64 (O'Neill,
// "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms", 2014; the XSL-RR output).
// Every draw advances the state. Integers and uniforms equal NumPy's to the last bit, normals within 2e-14.
class NumpyGenerator {
  public:
    explicit NumpyGenerator(std::uint64_t seed);
    // default_rng([seed, epoch, …]): a separate stream for every combination of numbers.
    explicit NumpyGenerator(std::span<const std::uint64_t> seeds);

    // Each fills `out` as the Generator's method of the same name does.
    void integers(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);  // in [low, high)
    void random(std::span<double> out);                                               // in [0, 1)
    void uniform(std::span<double> out, double low, double high);                     // in [low, high)
    void standard_normal(std::span<double> out);
    std::vector<index_t> permutation(index_t n);  // of 0 … n−1
    // `count` distinct numbers of 0 … n − 1 in random order: choice(n, count, replace=False).
    std::vector<index_t> choice(index_t n, index_t count);
    template <class T>
    void shuffle(std::span<T> items) {  // Fisher–Yates, from the last element down
        for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[masked(i)]);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    explicit NumpyGenerator(const std::array<std::uint64_t, 4>& words);
    std::uint64_t word();
    std::uint32_t half_word();
    double unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }
    std::uint64_t bounded(std::uint64_t last);  // in [0, last], last < 2⁶⁴ − 1, as integers draws it
    std::uint64_t masked(std::uint64_t last);   // in [0, last], last > 0, as shuffle draws it
    void shuffle_down_to(std::vector<index_t>& items, std::size_t first);
    double normal();
    double tail();

    Wide state_ = 0;
    Wide increment_ = 0;
    std::optional<std::uint32_t>
        pending_;  // the high half of a word, once half_word() has returned the low one
};

// Which key a program gives to its draws, one after the other.
enum class JaxKeys {
    split,       // main, key = split(main), as the tutorial does
    first_half,  // key, main = split(main)
    one,         // the seed's key for every draw, never split
    three,       // the keys of split(key, 3), from the first on again
};

// jax.random's numbers.
class JaxStream : public Stream {
  public:
    JaxStream(std::uint64_t seed, JaxKeys keys, bool partitionable = false);
    Tensor normal(const Shape& shape) override;
    Tensor uniform(const Shape& shape, double low, double high) override;
    Tensor bernoulli(const Shape& shape, double p) override;
    Tensor uniform_of_variance(const Shape& shape, double variance) override;
    // One draw for all of one shape, if the keys are split one by one.
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override;

  private:
    detail::JaxKey next();

    detail::JaxKey main_;
    JaxKeys keys_;
    std::size_t drawn_ = 0;
};

}  // namespace glassbox
