#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// The framework whose random numbers are reproduced.
enum class Rng { jax, torch, numpy };

template <>
struct EnumWords<Rng> {
    static constexpr const char* what = "rng";
    static constexpr Word<Rng> all[] = {{Rng::jax, "jax"}, {Rng::torch, "torch"}, {Rng::numpy, "numpy"}};
};

// A stream of random numbers from a seed, generated as one of the three frameworks does; every call advances
// it. Precision is the framework's: float32 for JAX and PyTorch (widened in the double build), double for
// NumPy (rounded in the float build).
class Stream {
  public:
    virtual ~Stream() = default;
    virtual Tensor normal(const Shape& shape) = 0;                            // mean 0, variance 1
    virtual Tensor uniform(const Shape& shape, double low, double high) = 0;  // in [low, high)
    virtual Tensor bernoulli(const Shape& shape, double p) = 0;               // 1 with probability p, else 0
    // Uniform around 0 with this variance; the bound is rounded as in the framework's own initialisers.
    virtual Tensor uniform_of_variance(const Shape& shape, double variance);
    // Several arrays, as the framework's tutorial draws them.
    virtual std::vector<Tensor> normals(const std::vector<Shape>& shapes);
};

// jax: every call splits the key, as the tutorial does (main_rng, rng = split(main_rng)), and draws with the
// second half; `normals` of equal shapes is one draw of shape (count, …), cut. torch: successive draws after
// torch.manual_seed(seed). numpy: successive draws of numpy.random.default_rng(seed); bernoulli is
// random() < p.
[[nodiscard]] std::unique_ptr<Stream> make_stream(Rng rng, std::uint64_t seed);

}  // namespace glassbox
