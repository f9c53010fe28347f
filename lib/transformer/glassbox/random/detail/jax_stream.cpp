#include <glassbox/random/generators.h>

#include <cmath>

#include <glassbox/random/detail/filled.h>

namespace glassbox {

using namespace detail;

JaxStream::JaxStream(std::uint64_t seed, JaxKeys keys, bool partitionable)
    : main_(JaxKey::of_seed(seed)), keys_(keys) {
    main_.partitionable = partitionable;
}

Tensor JaxStream::normal(const Shape& shape) {
    return filled<float>(shape, [key = next()](std::span<float> x) { key.normal(x); });
}

Tensor JaxStream::uniform(const Shape& shape, double low, double high) {
    return filled<float>(shape, [key = next(), low, high](std::span<float> x) {
        key.uniform(x, static_cast<float>(low), static_cast<float>(high));
    });
}

Tensor JaxStream::bernoulli(const Shape& shape, double p) {
    check_probability(p);
    return filled<float>(shape, [key = next(), p](std::span<float> x) {
        key.uniform(x);
        indicate_below(x, static_cast<float>(p));
    });
}

Tensor JaxStream::uniform_of_variance(const Shape& shape, double variance) {
    const float bound = std::sqrt(3.0f * static_cast<float>(variance));
    return filled<float>(shape, [key = next(), bound](std::span<float> x) {
        key.uniform(x, -1, 1);
        for (float& value : x) value *= bound;
    });
}

std::vector<Tensor> JaxStream::normals(const std::vector<Shape>& shapes) {
    const bool has_keys_for_each = keys_ == JaxKeys::one || keys_ == JaxKeys::three;
    return has_keys_for_each ? Stream::normals(shapes) : cut_of_one(*this, shapes);
}

JaxKey JaxStream::next() {
    if (keys_ == JaxKeys::one) return main_;
    if (keys_ == JaxKeys::three) return main_.split(3)[drawn_++ % 3];
    const auto [first, second] = main_.split();
    main_ = keys_ == JaxKeys::split ? first : second;
    return keys_ == JaxKeys::split ? second : first;
}

}  // namespace glassbox
