#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// PyTorch's random numbers on the CPU after torch.manual_seed(seed): one state (Mersenne twister, Matsumoto
// and Nishimura 1998, seeded with the low 32 bits), which every draw moves on. The numbers are those of
// float32 tensors, to the last bit on machines with AVX2 (PyTorch without AVX2 itself differs by up to 2e-6
// in normals and 2e-8 in uniforms), the same from PyTorch 1.13 to 2.15 but where stated.
class TorchGenerator {
  public:
    explicit TorchGenerator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

    // torch.randn, Tensor.normal_: fewer than 16 numbers and more go different ways, so randn(8) twice is not
    // randn(16); a number left over by an odd draw of fewer than 16 waits for the next such draw.
    void normal(std::span<float> out, float mean = 0, float deviation = 1);
    // torch.rand, Tensor.uniform_(low, high): in [low, high).
    void uniform(std::span<float> out, float low = 0, float high = 1);
    // torch.randint(low, high, …): in [low, high). Throws Error when that is empty. Ranges of 2²⁸ to 2³² take
    // 64 random bits, as PyTorch 2 does; 1.13 took 32.
    void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);
    // Tensor.bernoulli_(p): 1 with probability p, else 0. Dropout of rate r keeps where bernoulli_(1 − r)
    // is 1.
    void bernoulli(std::span<float> out, double p);
    std::vector<index_t> permutation(index_t n);  // torch.randperm(n)

  private:
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    std::uint64_t two_words();
    double unit_double();
    float unit_float() { return static_cast<float>(word() & 0xffffffu) * 0x1p-24f; }
    double small_normal();

    std::mt19937 engine_;
    std::optional<double> waiting_;  // the sine half of the last Box–Muller pair
};

}  // namespace glassbox
