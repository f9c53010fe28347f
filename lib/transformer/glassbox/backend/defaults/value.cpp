#include <glassbox/backend/defaults/value.h>

#include <numeric>
#include <utility>

namespace glassbox::defaults {

namespace {

// A new value of this shape, filled by `kernel`.
template <class Kernel>
Value compute(Backend& on, const Shape& shape, Kernel kernel) {
    Tensor y = Tensor::empty(shape, on.device());
    kernel(y.writable());
    return {on, y};
}

Value unary(Unary op, const Value& x) {
    return compute(x.on(), x.shape(), [&](const View& y) { x.on().unary(op, x.view(), y); });
}

Value binary(Binary op, const Value& a, const Value& b) {
    const Shape shape = broadcast_shapes("backend", a.shape(), b.shape());
    const ConstView left = a.view().broadcast_to(shape), right = b.view().broadcast_to(shape);
    return compute(a.on(), shape, [&](const View& y) { a.on().binary(op, left, right, y); });
}

Value scalar(const Value& like, real number) {
    return {like.on(), Tensor::full({}, number, like.on().device())};
}

Value sum_to(const Value& x, const Shape& shape) {
    return compute(x.on(), shape, [&](const View& y) { x.on().sum(x.view(), y); });
}

Value contiguous(const Value& x) {
    return compute(x.on(), x.shape(), [&](const View& y) { x.on().copy(x.view(), y); });
}

}  // namespace

Value Value::reinterpreted(const Shape& shape, const Strides& strides) const {
    Value other = *this;
    other.view_.shape = shape, other.view_.strides = strides;
    return other;
}

void assign(const View& y, const Value& x) {
    x.on().copy({x.view().data, y.shape, contiguous_strides(y.shape)}, y);
}

Value operator+(const Value& a, const Value& b) { return binary(Binary::add, a, b); }
Value operator-(const Value& a, const Value& b) { return binary(Binary::sub, a, b); }
Value operator*(const Value& a, const Value& b) { return binary(Binary::mul, a, b); }
Value operator/(const Value& a, const Value& b) { return binary(Binary::div, a, b); }
Value operator+(const Value& a, real b) { return a + scalar(a, b); }
Value operator*(const Value& a, real b) { return a * scalar(a, b); }
Value operator/(const Value& a, real b) { return a / scalar(a, b); }
Value operator-(real a, const Value& b) { return scalar(b, a) - b; }
Value operator/(real a, const Value& b) { return scalar(b, a) / b; }
Value operator-(const Value& x) { return unary(Unary::negate, x); }

Value exp(const Value& x) { return unary(Unary::exp, x); }
Value log(const Value& x) { return unary(Unary::log, x); }
Value sqrt(const Value& x) { return unary(Unary::sqrt, x); }
Value tanh(const Value& x) { return unary(Unary::tanh, x); }
Value erf(const Value& x) { return unary(Unary::erf, x); }
Value relu(const Value& x) { return unary(Unary::relu, x); }
Value is_positive(const Value& x) { return unary(Unary::is_positive, x); }

Value where(const Value& mask, const Value& x, real otherwise) {
    const ConstView full_mask = mask.view().broadcast_to(x.shape());
    return compute(x.on(), x.shape(),
                   [&](const View& y) { x.on().masked_fill(x.view(), full_mask, otherwise, y); });
}

Value row_sum(const Value& x) { return sum_to(x, x.shape().with(-1, 1)); }

Value row_mean(const Value& x) { return row_sum(x) / static_cast<real>(x.shape()[-1]); }

Value row_max(const Value& x) {
    return compute(x.on(), x.shape().with(-1, 1), [&](const View& y) { x.on().max(x.view(), y); });
}

Value column_sum(const Value& x) {
    std::vector<index_t> sizes(static_cast<std::size_t>(x.shape().rank()), 1);
    sizes.back() = x.shape()[-1];
    return sum_to(x, Shape(sizes));
}

Value row_softmax(const Value& x) {
    return compute(x.on(), x.shape(), [&](const View& y) { x.on().softmax(x.view(), y); });
}

Value row_log_softmax(const Value& x) {
    return compute(x.on(), x.shape(), [&](const View& y) { x.on().log_softmax(x.view(), y); });
}

Value activated(Activation f, const Value& x) {
    if (f == Activation::none) return x;
    if (f == Activation::relu) return relu(x);
    return compute(x.on(), x.shape(), [&](const View& y) { x.on().gelu(x.view(), f, y); });
}

Value product(const Value& a, const Value& b) {
    const Shape left = a.shape(), right = b.shape();
    const Shape batch =
        broadcast_shapes("backend", left.leading(left.rank() - 2), right.leading(right.rank() - 2));
    return compute(a.on(), batch.with_appended(left[-2]).with_appended(right[-1]),
                   [&](const View& c) { a.on().matmul(a.view(), b.view(), c); });
}

Value transpose(const Value& x) {
    const Shape from = x.shape();
    Strides strides = x.view().strides;
    std::swap(strides[static_cast<std::size_t>(from.axis(-1))],
              strides[static_cast<std::size_t>(from.axis(-2))]);
    return x.reinterpreted(from.with(-1, from[-2]).with(-2, from[-1]), strides);
}

Value column(const Value& x) { return x.reinterpreted(x.shape().with_appended(1), x.view().strides); }

Value rows(const Value& x) {
    const Shape to{x.shape().without(-1).numel(), x.shape()[-1]};
    return (x.view().contiguous() ? x : contiguous(x)).reinterpreted(to, contiguous_strides(to));
}

Value arange(Backend& on, index_t n) {
    std::vector<real> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), real(0));
    return {on, Tensor(Shape{n}, numbers, on.device())};
}

std::vector<real> on_host(const Value& x) { return contiguous(x).numbers_.values(); }

}  // namespace glassbox::defaults
