#pragma once
#include <concepts>
#include <iosfwd>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// A user's numbers, from any kind of array. Converts implicitly from
//     a Tensor; an array with shape() whose elements iterate row by row (xtensor);
//     a matrix with rows(), cols() and m(i, j) (Eigen, or a class of one's own);
//     a container of numbers, or of containers of one length (std::vector, std::array, std::span).
// Numbers whose type does not give their shape need it: Numbers(pointer, {3, 2}), Numbers(vector, {3, 2}).
class Numbers {
  public:
    Numbers(Tensor tensor) : tensor_(std::move(tensor)) {}
    template <class Array>
    requires(!std::same_as<Array, Tensor> && !std::same_as<Array, Numbers>) Numbers(const Array& array);
    template <class Number>
    requires std::is_arithmetic_v<Number> Numbers(const Number* numbers, const Shape& shape);
    template <class Number>
    requires std::is_arithmetic_v<Number> Numbers(const std::vector<Number>& numbers, const Shape& shape);

    const Tensor& tensor() const { return tensor_; }

    // "numbers of shape (3, 2)", for a test's message.
    friend std::ostream& operator<<(std::ostream& out, const Numbers& numbers);

  private:
    Tensor tensor_;
};

namespace detail {

[[noreturn]] void fail_for_rows(index_t size, index_t size_before);
[[noreturn]] void fail_for_count(index_t count, const Shape& shape);

template <class Array>
concept HasShape = requires(const Array& a) {
    a.shape().begin();
    a.begin();
    a.end();
};
template <class Array>
concept HasRowsAndColumns = requires(const Array& a) {
    { a.rows() } -> std::integral;
    { a.cols() } -> std::integral;
    a(a.rows(), a.cols());
};

// A number outside the range of real is infinite, and so differs from any right one.
template <class Number>
real as_real(Number number) {
    constexpr real infinity = std::numeric_limits<real>::infinity();
    const auto wide = static_cast<long double>(number);
    if (wide > static_cast<long double>(std::numeric_limits<real>::max())) return infinity;
    if (wide < static_cast<long double>(std::numeric_limits<real>::lowest())) return -infinity;
    return static_cast<real>(number);
}

template <class Container>
index_t length(const Container& container) {
    return static_cast<index_t>(std::ranges::distance(container));
}

// The numbers of nested containers, row by row, and how long each axis is.
template <class Container>
void collect(const Container& container, std::size_t axis, std::vector<index_t>& shape,
             std::vector<real>& numbers) {
    const index_t size = length(container);
    if (axis == shape.size()) shape.push_back(size);
    if (shape[axis] != size) fail_for_rows(size, shape[axis]);
    for (const auto& each : container) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(each)>>)
            numbers.push_back(as_real(each));
        else collect(each, axis + 1, shape, numbers);
    }
}

template <class Array>
Tensor tensor_of(const Array& array) {
    std::vector<real> numbers;
    std::vector<index_t> shape;
    if constexpr (HasShape<Array>) {
        for (const auto size : array.shape()) shape.push_back(static_cast<index_t>(size));
        for (const auto& each : array) numbers.push_back(as_real(each));
    } else if constexpr (HasRowsAndColumns<Array>) {
        shape = {static_cast<index_t>(array.rows()), static_cast<index_t>(array.cols())};
        for (decltype(array.rows()) i = 0; i < array.rows(); ++i)
            for (decltype(array.cols()) j = 0; j < array.cols(); ++j) numbers.push_back(as_real(array(i, j)));
    } else {
        static_assert(
            std::ranges::input_range<const Array>,
            "Numbers: an array with shape(), a matrix with rows(), cols() and m(i, j), or a container");
        collect(array, 0, shape, numbers);
    }
    return Tensor(Shape(shape), numbers);
}

template <class Number>
Tensor tensor_of(const Number* numbers, index_t count, const Shape& shape) {
    if (count != shape.numel()) fail_for_count(count, shape);
    std::vector<real> copied;
    copied.reserve(static_cast<std::size_t>(count));
    for (index_t i = 0; i < count; ++i) copied.push_back(as_real(numbers[i]));
    return Tensor(shape, copied);
}

}  // namespace detail

template <class Array>
requires(!std::same_as<Array, Tensor> && !std::same_as<Array, Numbers>) Numbers::Numbers(const Array& array)
    : tensor_(detail::tensor_of(array)) {}

template <class Number>
requires std::is_arithmetic_v<Number> Numbers::Numbers(const Number* numbers, const Shape& shape)
    : tensor_(detail::tensor_of(numbers, shape.numel(), shape)) {}

template <class Number>
requires std::is_arithmetic_v<Number> Numbers::Numbers(const std::vector<Number>& numbers, const Shape& shape)
    : tensor_(detail::tensor_of(numbers.data(), static_cast<index_t>(numbers.size()), shape)) {}

}  // namespace glassbox
