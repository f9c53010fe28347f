#pragma once
#include <cstdint>

#include <glassbox/random/detail/jax.h>
#include <glassbox/random/stream.h>

namespace glassbox {

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
    JaxKey next();

    JaxKey main_;
    JaxKeys keys_;
    std::size_t drawn_ = 0;
};

}  // namespace glassbox
