#include <glassbox/backend/defaults/value.h>

#include <numeric>
#include <utility>

namespace glassbox::defaults {

namespace {

Tensor room(const Value& x, const Shape& shape) { return Tensor::empty(shape, x.on().device()); }

Value unary(Unary op, const Value& x) {
    Tensor y = room(x, x.shape());
    x.on().unary(op, x.view(), y.writable());
    return {x.on(), y};
}

Value binary(Binary op, const Value& a, const Value& b) {
    const Shape shape = broadcast_shapes("backend", a.shape(), b.shape());
    Tensor y = room(a, shape);
    a.on().binary(op, a.view().broadcast_to(shape), b.view().broadcast_to(shape), y.writable());
    return {a.on(), y};
}

Value scalar(const Value& like, real number) {
    return {like.on(), Tensor::full({}, number, like.on().device())};
}

// A copy without gaps.
Tensor gapless(const Value& x) {
    Tensor y = room(x, x.shape());
    x.on().copy(x.view(), y.writable());
    return y;
}

}  // namespace

Value Value::seen_as(const Shape& shape, const Strides& strides) const {
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
    Tensor y = room(x, x.shape());
    x.on().masked_fill(x.view(), mask.view().broadcast_to(x.shape()), otherwise, y.writable());
    return {x.on(), y};
}

Value row_sum(const Value& x) {
    Tensor y = room(x, x.shape().with(-1, 1));
    x.on().sum(x.view(), y.writable());
    return {x.on(), y};
}

Value row_mean(const Value& x) { return row_sum(x) / static_cast<real>(x.shape()[-1]); }

Value row_max(const Value& x) {
    Tensor y = room(x, x.shape().with(-1, 1));
    x.on().max(x.view(), y.writable());
    return {x.on(), y};
}

Value column_sum(const Value& x) {
    std::vector<index_t> sizes(static_cast<std::size_t>(x.shape().rank()), 1);
    sizes.back() = x.shape()[-1];
    Tensor y = room(x, Shape(sizes));
    x.on().sum(x.view(), y.writable());
    return {x.on(), y};
}

Value row_softmax(const Value& x) {
    Tensor y = room(x, x.shape());
    x.on().softmax(x.view(), y.writable());
    return {x.on(), y};
}

Value row_log_softmax(const Value& x) {
    Tensor y = room(x, x.shape());
    x.on().log_softmax(x.view(), y.writable());
    return {x.on(), y};
}

Value product(const Value& a, const Value& b) {
    const Shape left = a.shape(), right = b.shape();
    const Shape batch =
        broadcast_shapes("backend", left.leading(left.rank() - 2), right.leading(right.rank() - 2));
    Tensor c = room(a, batch.with_appended(left[-2]).with_appended(right[-1]));
    a.on().matmul(a.view(), b.view(), c.writable());
    return {a.on(), c};
}

Value transpose(const Value& x) {
    const Shape from = x.shape();
    Strides strides = x.view().strides;
    std::swap(strides[static_cast<std::size_t>(from.axis(-1))],
              strides[static_cast<std::size_t>(from.axis(-2))]);
    return x.seen_as(from.with(-1, from[-2]).with(-2, from[-1]), strides);
}

Value column(const Value& x) { return x.seen_as(x.shape().with_appended(1), x.view().strides); }

Value rows(const Value& x) {
    const Shape to{x.shape().without(-1).numel(), x.shape()[-1]};
    const Value y = x.view().contiguous() ? x : Value(x.on(), gapless(x));
    return y.seen_as(to, contiguous_strides(to));
}

Value counting(Backend& on, index_t n) {
    std::vector<real> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), real(0));
    return {on, Tensor(Shape{n}, numbers, on.device())};
}

std::vector<real> on_host(const Value& x) { return gapless(x).values(); }

}  // namespace glassbox::defaults
