#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// JAX's random numbers, as jax.random gives them with jax_threefry_partitionable=False, the default before
// JAX 0.5, or, with `partitionable`, as since: a key, from which Threefry-2x32 with 20 rounds (Salmon,
// Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011) generates any number of words. A
// key is immutable: the same call gives the same numbers, and new ones come from splitting it. All numbers
// equal JAX's float32 to the last bit.
struct JaxKey {
    std::uint32_t high = 0;
    std::uint32_t low = 0;
    bool partitionable = false;  // each number depends only on its own counter

    // jax.random.PRNGKey(seed). JAX uses the low 32 bits of a seed; with jax_enable_x64 on, the key would be
    // JaxKey{high word, low word}.
    static JaxKey of_seed(std::uint64_t seed) { return {0, static_cast<std::uint32_t>(seed)}; }

    std::vector<JaxKey> split(index_t count) const;  // jax.random.split(key, count)
    std::array<JaxKey, 2> split() const;             // jax.random.split(key)
    JaxKey fold_in(std::uint32_t data) const;        // jax.random.fold_in(key, data)

    // Each fills `out` as the function of the same name in jax.random does (row-major). All throw Error for
    // more than 2³² − 2 numbers.
    void bits(std::span<std::uint32_t> out) const;
    void uniform(std::span<float> out, float low = 0, float high = 1) const;  // in [low, high)
    void normal(std::span<float> out) const;
    void truncated_normal(std::span<float> out, float lower, float upper) const;  // in (lower, upper)
    void randint(std::span<std::int32_t> out, std::int32_t low, std::int32_t high) const;  // in [low, high)
    std::vector<index_t> permutation(index_t n) const;                                     // of 0 … n−1

    friend bool operator==(const JaxKey&, const JaxKey&) = default;
};

}  // namespace glassbox::detail
