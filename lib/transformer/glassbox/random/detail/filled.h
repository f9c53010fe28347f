#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include <glassbox/random/stream.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

// Shared by the streams.
namespace glassbox::detail {

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

inline void check_probability(double p) {
    if (!(p >= 0 && p <= 1)) fail("bernoulli: p must be in [0, 1], got {}", p);
}

// Arrays of one shape in a single draw, cut; each in its own if the shapes differ.
std::vector<Tensor> cut_of_one(Stream& stream, const std::vector<Shape>& shapes);

}  // namespace glassbox::detail
