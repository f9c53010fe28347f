#pragma once
#include <array>
#include <cstdint>
#include <functional>
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

// Initial weights, equal to those of the stream's framework for the same seed. fan_in and fan_out are the
// layer's numbers of inputs and outputs; shapes are (out, in) in PyTorch and (in, out) in JAX, filled in
// row-major order. Fans below 1 throw Error.

// torch.nn.init.xavier_uniform_, flax.linen.initializers.xavier_uniform: U(±√(6 / (fan_in + fan_out)))
// (Glorot and Bengio 2010).
Tensor xavier_uniform(Stream& stream, const Shape& shape, index_t fan_in, index_t fan_out);

// torch.nn.Linear's weight (kaiming_uniform_ with a = √5) and its bias: U(±1/√fan_in).
Tensor linear_uniform(Stream& stream, const Shape& shape, index_t fan_in);

// flax.linen.Dense's kernel, lecun_normal: normals truncated at ±2, scaled to variance 1/fan_in. PyTorch and
// NumPy have no such initialiser: for them it is the same function of their uniforms.
Tensor lecun_normal(Stream& stream, const Shape& shape, index_t fan_in);

struct Qkv {
    Tensor Q;  // (leading…, n_q, d_k)
    Tensor K;  // (leading…, n_k, d_k)
    Tensor V;  // (leading…, n_k, d_v)
};

// Queries, keys and values of the tutorials' worked example, standard normal. If all three have the same
// shape, JAX's stream makes one draw of shape (3, leading…, n, d) and splits it, PyTorch's and NumPy's draw
// Q, then K, then V; if shapes differ, every stream draws Q, then K, then V.
Qkv draw_qkv(Stream& stream, const Shape& leading, index_t n_q, index_t n_k, index_t d_k, index_t d_v);

}  // namespace glassbox

// Streams that draw otherwise than the sources do: what other programs make of the same seed.
namespace glassbox {

// numpy.random.seed(seed) and then numpy.random.randn, rand: a Mersenne twister and the polar method of
// Marsaglia, as NumPy keeps them for old programs.
[[nodiscard]] std::unique_ptr<Stream> numpy_legacy_stream(std::uint64_t seed);

// Each of these changes what `stream` draws.

// The arrays of normals() in this order: {0, 2, 1} is the first, the third, the second.
[[nodiscard]] std::unique_ptr<Stream> in_order(std::unique_ptr<Stream> stream,
                                               const std::array<std::size_t, 3>& order);
// The arrays of normals() in one draw, cut, if they have one shape; or each in its own draw.
[[nodiscard]] std::unique_ptr<Stream> as_one_draw(std::unique_ptr<Stream> stream);
[[nodiscard]] std::unique_ptr<Stream> in_single_draws(std::unique_ptr<Stream> stream);
// The arrays of normals() as a second call gives them.
[[nodiscard]] std::unique_ptr<Stream> in_second_run(std::unique_ptr<Stream> stream);
// Uniform in [0, 1) where normal numbers are requested: rand for randn.
[[nodiscard]] std::unique_ptr<Stream> as_uniforms(std::unique_ptr<Stream> stream);

// Calls `draw`, which asks a stream for arrays one after the other, so that the first is drawn after all
// others: once to learn which they are, and once with those numbers.
void with_first_drawn_last(const std::function<std::unique_ptr<Stream>()>& make,
                           const std::function<void(Stream&)>& draw);

}  // namespace glassbox
