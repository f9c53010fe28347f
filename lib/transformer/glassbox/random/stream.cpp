#include <glassbox/random/stream.h>

#include <cmath>
#include <span>

#include <glassbox/random/detail/filled.h>
#include <glassbox/random/detail/torch.h>
#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

class TorchStream : public Stream {
  public:
    explicit TorchStream(std::uint64_t seed) : generator_(seed) {}
    Tensor normal(const Shape& shape) override {
        return filled<float>(shape, [this](std::span<float> x) { generator_.normal(x); });
    }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return filled<float>(shape, [this, low, high](std::span<float> x) {
            generator_.uniform(x, static_cast<float>(low), static_cast<float>(high));
        });
    }
    Tensor bernoulli(const Shape& shape, double p) override {
        return filled<float>(shape, [this, p](std::span<float> x) { generator_.bernoulli(x, p); });
    }
    Tensor uniform_of_variance(const Shape& shape, double variance) override {
        const double bound = std::sqrt(3.0) * std::sqrt(variance);
        return uniform(shape, -bound, bound);
    }

  private:
    TorchGenerator generator_;
};

class NumpyStream : public Stream {
  public:
    explicit NumpyStream(std::uint64_t seed) : generator_(seed) {}
    Tensor normal(const Shape& shape) override {
        return filled<double>(shape, [this](std::span<double> x) { generator_.standard_normal(x); });
    }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return filled<double>(shape, [&](std::span<double> x) { generator_.uniform(x, low, high); });
    }
    Tensor bernoulli(const Shape& shape, double p) override {
        check_probability(p);
        return filled<double>(shape, [this, p](std::span<double> x) {
            generator_.random(x);
            indicate_below(x, p);
        });
    }

  private:
    NumpyGenerator generator_;
};

}  // namespace

Tensor Stream::uniform_of_variance(const Shape& shape, double variance) {
    const double bound = std::sqrt(3 * variance);
    return uniform(shape, -bound, bound);
}

std::vector<Tensor> Stream::normals(const std::vector<Shape>& shapes) {
    std::vector<Tensor> all;
    for (const Shape& shape : shapes) all.push_back(normal(shape));
    return all;
}

std::unique_ptr<Stream> make_stream(Rng rng, std::uint64_t seed) {
    switch (rng) {
        case Rng::jax:
            return std::make_unique<JaxStream>(seed, JaxKeys::split);
        case Rng::torch:
            return std::make_unique<TorchStream>(seed);
        case Rng::numpy:
            return std::make_unique<NumpyStream>(seed);
    }
    fail("make_stream: unknown rng: {}", static_cast<int>(rng));
}

Qkv draw_qkv(Stream& stream, const Shape& leading, index_t n_q, index_t n_k, index_t d_k, index_t d_v) {
    const std::vector<Tensor> drawn = stream.normals({leading.with_appended(n_q).with_appended(d_k),
                                                      leading.with_appended(n_k).with_appended(d_k),
                                                      leading.with_appended(n_k).with_appended(d_v)});
    return {drawn[0], drawn[1], drawn[2]};
}

}  // namespace glassbox
