#include <glassbox/random/stream.h>

#include <array>
#include <cmath>
#include <span>
#include <type_traits>

#include <glassbox/random/detail/jax.h>
#include <glassbox/random/detail/numpy.h>
#include <glassbox/random/detail/torch.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// A tensor filled by `fill` with values of type T, in place if T is `real`.
template <class T, class Fill>
Tensor filled(const Shape& shape, const Fill& fill) {
    Tensor tensor = Tensor::empty(shape);
    real* to = tensor.writable().data;
    const std::size_t count = static_cast<std::size_t>(shape.numel());
    if constexpr (std::is_same_v<T, real>) {
        fill(std::span<T>(to, count));
    } else {
        std::vector<T> values(count);
        fill(std::span<T>(values));
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<real>(values[i]);
    }
    return tensor;
}

template <class T>
void indicate_below(std::span<T> x, T p) {
    for (T& value : x) value = value < p ? T{1} : T{0};
}

void check_probability(double p) {
    if (!(p >= 0 && p <= 1)) fail("bernoulli: p must be in [0, 1], got {}", p);
}

class JaxStream : public Stream {
  public:
    explicit JaxStream(std::uint64_t seed) : main_(JaxKey::of_seed(seed)) {}
    Tensor normal(const Shape& shape) override {
        return filled<float>(shape, [key = next()](std::span<float> x) { key.normal(x); });
    }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return filled<float>(shape, [key = next(), low, high](std::span<float> x) {
            key.uniform(x, static_cast<float>(low), static_cast<float>(high));
        });
    }
    Tensor bernoulli(const Shape& shape, double p) override {
        check_probability(p);
        return filled<float>(shape, [key = next(), p](std::span<float> x) {
            key.uniform(x);
            indicate_below(x, static_cast<float>(p));
        });
    }
    Tensor uniform_of_variance(const Shape& shape, double variance) override {
        const float bound = std::sqrt(3.0f * static_cast<float>(variance));
        return filled<float>(shape, [key = next(), bound](std::span<float> x) {
            key.uniform(x, -1, 1);
            for (float& value : x) value *= bound;
        });
    }
    std::vector<Tensor> normals(const Shape& shape, int count) override {
        const index_t size = shape.numel();
        const Tensor all = normal(Shape{count, size});
        std::vector<Tensor> parts;
        for (int i = 0; i < count; ++i)
            parts.push_back(all.alias(shape, contiguous_strides(shape), i * size));
        return parts;
    }

  private:
    JaxKey next() {
        const auto [main, key] = main_.split();
        main_ = main;
        return key;
    }
    JaxKey main_;
};

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
    Tensor uniform_of_variance(const Shape& shape, double variance) override {
        const double bound = std::sqrt(3 * variance);
        return uniform(shape, -bound, bound);
    }

  private:
    NumpyGenerator generator_;
};

}  // namespace

std::vector<Tensor> Stream::normals(const Shape& shape, int count) {
    std::vector<Tensor> all;
    for (int i = 0; i < count; ++i) all.push_back(normal(shape));
    return all;
}

std::unique_ptr<Stream> make_stream(Rng rng, std::uint64_t seed) {
    switch (rng) {
        case Rng::jax:
            return std::make_unique<JaxStream>(seed);
        case Rng::torch:
            return std::make_unique<TorchStream>(seed);
        case Rng::numpy:
            return std::make_unique<NumpyStream>(seed);
    }
    fail("make_stream: unknown rng: {}", static_cast<int>(rng));
}

}  // namespace glassbox
