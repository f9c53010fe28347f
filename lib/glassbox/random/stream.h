#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// Whose random numbers: those of JAX, PyTorch or NumPy.
enum class Rng { jax, torch, numpy };

template <>
struct EnumWords<Rng> {
    static constexpr const char* what = "rng";
    static constexpr Word<Rng> all[] = {{Rng::jax, "jax"}, {Rng::torch, "torch"}, {Rng::numpy, "numpy"}};
};

// A run of random numbers from a seed, new ones with every call, in one of the three frameworks' own way.
// Numbers are the framework's: float32 for JAX and PyTorch (widened in the double build), double for NumPy
// (rounded in the float build).
class Stream {
  public:
    virtual ~Stream() = default;
    virtual Tensor normal(const Shape& shape) = 0;                            // mean 0, variance 1
    virtual Tensor uniform(const Shape& shape, double low, double high) = 0;  // in [low, high)
    virtual Tensor bernoulli(const Shape& shape, double p) = 0;               // 1 with probability p, else 0
    // Uniform around 0 with this variance, rounded as the framework's own initialisers round it.
    virtual Tensor uniform_of_variance(const Shape& shape, double variance) = 0;
    // `count` normals of one shape, as the framework's tutorial draws them.
    virtual std::vector<Tensor> normals(const Shape& shape, int count);
};

// jax: every call splits the key, as the tutorial does (main_rng, rng = split(main_rng)), and draws with the
// second half; `normals` is one draw of shape (count, …), cut. torch: torch.manual_seed(seed), call after
// call. numpy: numpy.random.default_rng(seed), call after call; bernoulli is random() < p.
[[nodiscard]] std::unique_ptr<Stream> make_stream(Rng rng, std::uint64_t seed);

}  // namespace glassbox
