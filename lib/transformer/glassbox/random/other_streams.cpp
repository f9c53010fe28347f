#include <glassbox/random/stream.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <glassbox/random/detail/filled.h>

namespace glassbox {

using namespace detail;

namespace {

class NumpyLegacyStream : public Stream {
  public:
    explicit NumpyLegacyStream(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}
    Tensor normal(const Shape& shape) override {
        return filled_by(shape, [this] { return polar(); });
    }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return filled_by(shape, [&] { return low + (high - low) * unit(); });
    }
    Tensor bernoulli(const Shape& shape, double p) override {
        check_probability(p);
        return filled_by(shape, [&] { return unit() < p ? 1.0 : 0.0; });
    }

  private:
    template <class Draw>
    static Tensor filled_by(const Shape& shape, const Draw& draw) {
        return filled<double>(shape, [&](std::span<double> x) {
            for (double& each : x) each = draw();
        });
    }
    double unit() {  // 53 bits of two words
        const auto high = static_cast<double>(static_cast<std::uint32_t>(engine_()) >> 5);
        const auto low = static_cast<double>(static_cast<std::uint32_t>(engine_()) >> 6);
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }
    double polar() {
        if (pending_) {
            const double kept = *pending_;
            pending_.reset();
            return kept;
        }
        double x = 0, y = 0, r2 = 0;
        do {
            x = 2 * unit() - 1;
            y = 2 * unit() - 1;
            r2 = x * x + y * y;
        } while (r2 >= 1 || r2 == 0);
        const double f = std::sqrt(-2 * std::log(r2) / r2);
        pending_ = f * x;
        return f * y;
    }

    std::mt19937 engine_;
    std::optional<double> pending_;  // the other normal of a pair
};

// Draws what another stream draws; a changed stream overrides what it changes.
class Changed : public Stream {
  public:
    explicit Changed(std::unique_ptr<Stream> base) : base_(std::move(base)) {}
    Tensor normal(const Shape& shape) override { return base_->normal(shape); }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return base_->uniform(shape, low, high);
    }
    Tensor bernoulli(const Shape& shape, double p) override { return base_->bernoulli(shape, p); }
    Tensor uniform_of_variance(const Shape& shape, double variance) override {
        return base_->uniform_of_variance(shape, variance);
    }
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override { return base_->normals(shapes); }

  protected:
    Stream& base() { return *base_; }

  private:
    std::unique_ptr<Stream> base_;
};

class InOrder : public Changed {
  public:
    InOrder(std::unique_ptr<Stream> base, const std::array<std::size_t, 3>& order)
        : Changed(std::move(base)), order_(order) {}
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override {
        if (shapes.size() != order_.size()) return base().normals(shapes);
        std::vector<Shape> drawn;
        for (const std::size_t i : order_) drawn.push_back(shapes[i]);
        const std::vector<Tensor> arrays = base().normals(drawn);
        std::vector<Tensor> all(shapes.size());
        for (std::size_t i = 0; i < order_.size(); ++i) all[order_[i]] = arrays[i];
        return all;
    }

  private:
    std::array<std::size_t, 3> order_;
};

class AsOneDraw : public Changed {
  public:
    using Changed::Changed;
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override {
        return cut_of_one(base(), shapes);
    }
};

class InSingleDraws : public Changed {
  public:
    using Changed::Changed;
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override {
        return Stream::normals(shapes);  // not as the base would
    }
};

class InSecondRun : public Changed {
  public:
    using Changed::Changed;
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override {
        (void)base().normals(shapes);
        return base().normals(shapes);
    }
};

class AsUniforms : public Changed {
  public:
    using Changed::Changed;
    Tensor normal(const Shape& shape) override { return base().uniform(shape, 0, 1); }
    std::vector<Tensor> normals(const std::vector<Shape>& shapes) override { return Stream::normals(shapes); }
};

// Calls of a stream: "normal numbers of this shape".
using Call = std::function<Tensor(Stream&)>;

// Passes every call on and keeps it; or answers the calls with the arrays `drawn`, in order.
class Calls : public Stream {
  public:
    explicit Calls(Stream& base) : base_(&base) {}
    explicit Calls(std::vector<Tensor> drawn) : drawn_(std::move(drawn)) {}
    Tensor normal(const Shape& shape) override {
        return next([shape](Stream& s) { return s.normal(shape); });
    }
    Tensor uniform(const Shape& shape, double low, double high) override {
        return next([=](Stream& s) { return s.uniform(shape, low, high); });
    }
    Tensor bernoulli(const Shape& shape, double p) override {
        return next([=](Stream& s) { return s.bernoulli(shape, p); });
    }
    Tensor uniform_of_variance(const Shape& shape, double variance) override {
        return next([=](Stream& s) { return s.uniform_of_variance(shape, variance); });
    }
    const std::vector<Call>& all() const { return calls_; }

  private:
    Tensor next(Call call) {
        calls_.push_back(std::move(call));
        return base_ ? calls_.back()(*base_) : drawn_.at(calls_.size() - 1);
    }

    Stream* base_ = nullptr;
    std::vector<Tensor> drawn_;
    std::vector<Call> calls_;
};

}  // namespace

std::unique_ptr<Stream> numpy_legacy_stream(std::uint64_t seed) {
    return std::make_unique<NumpyLegacyStream>(seed);
}

std::unique_ptr<Stream> in_order(std::unique_ptr<Stream> stream, const std::array<std::size_t, 3>& order) {
    return std::make_unique<InOrder>(std::move(stream), order);
}
std::unique_ptr<Stream> as_one_draw(std::unique_ptr<Stream> stream) {
    return std::make_unique<AsOneDraw>(std::move(stream));
}
std::unique_ptr<Stream> in_single_draws(std::unique_ptr<Stream> stream) {
    return std::make_unique<InSingleDraws>(std::move(stream));
}
std::unique_ptr<Stream> in_second_run(std::unique_ptr<Stream> stream) {
    return std::make_unique<InSecondRun>(std::move(stream));
}
std::unique_ptr<Stream> as_uniforms(std::unique_ptr<Stream> stream) {
    return std::make_unique<AsUniforms>(std::move(stream));
}

void with_first_drawn_last(const std::function<std::unique_ptr<Stream>()>& make,
                           const std::function<void(Stream&)>& draw) {
    const auto first = make(), second = make();
    Calls asked(*first);
    draw(asked);
    std::vector<Tensor> drawn(asked.all().size());
    for (std::size_t i = 1; i < drawn.size(); ++i) drawn[i] = asked.all()[i](*second);
    if (!drawn.empty()) drawn.front() = asked.all().front()(*second);
    Calls answered(std::move(drawn));
    draw(answered);
}

}  // namespace glassbox
