#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// PyTorch's random numbers on the CPU after torch.manual_seed(seed): a Mersenne twister (Matsumoto and
// Nishimura 1998) seeded with the low 32 bits; every draw advances its state. The numbers equal those of
// float32 tensors, to the last bit on machines with AVX2 (without AVX2, PyTorch itself differs by up to 2e-6
// in normals and 2e-8 in uniforms). They are the same from PyTorch 1.13 to 2.15 except as noted.
class TorchGenerator {
  public:
    explicit TorchGenerator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

    // torch.randn, Tensor.normal_: PyTorch has separate algorithms for fewer than 16 numbers and for more, so
    // randn(8) twice is not randn(16); the spare normal of an odd draw of fewer than 16 is kept for the next
    // such draw.
    void normal(std::span<float> out, float mean = 0, float deviation = 1);
    // torch.rand, Tensor.uniform_(low, high): in [low, high).
    void uniform(std::span<float> out, float low = 0, float high = 1);
    // torch.randint(low, high, …): in [low, high). Throws Error when the range is empty. Ranges of 2²⁸ to 2³²
    // use 64 random bits, as in PyTorch 2; 1.13 used 32.
    void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);
    // Tensor.bernoulli_(p): 1 with probability p, else 0. Dropout of rate r keeps the elements where
    // bernoulli_(1 − r) is 1.
    void bernoulli(std::span<float> out, double p);
    std::vector<index_t> permutation(index_t n);  // torch.randperm(n)

  private:
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    std::uint64_t two_words();
    double unit_double();
    float unit_float() { return static_cast<float>(word() & 0xffffffu) * 0x1p-24f; }
    double small_normal();

    std::mt19937 engine_;
    std::optional<double> pending_;  // the sine half of the last Box–Muller pair
};

}  // namespace glassbox::detail
