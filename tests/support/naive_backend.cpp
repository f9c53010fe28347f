#include "support/naive_backend.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

namespace glassbox_test {

using namespace glassbox;

namespace {

// One index per axis, stored inline: allocation would dominate the oracle's time.
class Position {
  public:
    explicit Position(std::size_t axes) : axes_(axes) {}
    Position(std::initializer_list<index_t> indices) {
        for (const index_t i : indices) push_back(i);
    }
    std::size_t size() const { return axes_; }
    index_t& operator[](std::size_t axis) { return indices_[axis]; }
    index_t operator[](std::size_t axis) const { return indices_[axis]; }
    void push_back(index_t i) { indices_[axes_++] = i; }

  private:
    std::array<index_t, Shape::max_rank + 1> indices_{};
    std::size_t axes_ = 0;
};

index_t offset(const Position& position, const Strides& strides) {
    index_t sum = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) sum += position[axis] * strides[axis];
    return sum;
}

double read(const ConstView& x, const Position& position) { return x.data[offset(position, x.strides)]; }

void write(const View& y, const Position& position, double value) {
    y.data[offset(position, y.strides)] = static_cast<real>(value);
}

// Calls f with every position of a shape, in row-major order.
template <class F>
void for_each_position(const Shape& shape, F f) {
    Position position(static_cast<std::size_t>(shape.rank()));
    for (index_t count = shape.numel(); count > 0; --count) {
        f(position);
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            index_t& i = position[static_cast<std::size_t>(axis)];
            if (++i < shape[axis]) break;
            i = 0;
        }
    }
}

Position with(Position position, index_t i) {
    position.push_back(i);
    return position;
}
Position with(Position position, index_t i, index_t j) { return with(with(position, i), j); }

Shape leading_axes(const Shape& shape) { return shape.leading(shape.rank() - 2); }

// The position in y to which the element of x at `position` is reduced.
Position reduced(Position position, const Shape& y) {
    for (int axis = 0; axis < y.rank(); ++axis)
        if (y[axis] == 1) position[static_cast<std::size_t>(axis)] = 0;
    return position;
}

double evaluate(Unary op, double x) {
    switch (op) {
        case Unary::exp:
            return std::exp(x);
        case Unary::log:
            return std::log(x);
        case Unary::sin:
            return std::sin(x);
        case Unary::cos:
            return std::cos(x);
        case Unary::erf:
            return std::erf(x);
        case Unary::tanh:
            return std::tanh(x);
        case Unary::relu:
            return x < 0 ? 0 : x;
        case Unary::sqrt:
            return std::sqrt(x);
        case Unary::negate:
            return -x;
        case Unary::is_positive:
            return x > 0 ? 1 : 0;
    }
    return std::nan("");
}

double evaluate(Binary op, double a, double b) {
    switch (op) {
        case Binary::add:
            return a + b;
        case Binary::sub:
            return a - b;
        case Binary::mul:
            return a * b;
        case Binary::div:
            return a / b;
    }
    return std::nan("");
}

}  // namespace

void NaiveBackend::copy(const ConstView& x, const View& y) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, read(x, at)); });
}

void NaiveBackend::fill(const View& y, real value) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, value); });
}

void NaiveBackend::unary(Unary op, const ConstView& x, const View& y) {
    for_each_position(y.shape, [&](const Position& at) { write(y, at, evaluate(op, read(x, at))); });
}

void NaiveBackend::binary(Binary op, const ConstView& a, const ConstView& b, const View& y) {
    for_each_position(y.shape,
                      [&](const Position& at) { write(y, at, evaluate(op, read(a, at), read(b, at))); });
}

void NaiveBackend::masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) {
    for_each_position(y.shape, [&](const Position& at) {
        write(y, at, read(mask, at) == 0 ? static_cast<double>(value) : read(x, at));
    });
}

void NaiveBackend::sum(const ConstView& x, const View& y) {
    std::vector<double> sums(static_cast<std::size_t>(y.shape.numel()), 0);  // rounded once, at the end
    const Strides row_major = contiguous_strides(y.shape);
    for_each_position(x.shape, [&](const Position& at) {
        sums[static_cast<std::size_t>(offset(reduced(at, y.shape), row_major))] += read(x, at);
    });
    for_each_position(y.shape, [&](const Position& at) {
        write(y, at, sums[static_cast<std::size_t>(offset(at, row_major))]);
    });
}

void NaiveBackend::max(const ConstView& x, const View& y) {
    fill(y, -std::numeric_limits<real>::infinity());
    for_each_position(x.shape, [&](const Position& at) {
        const Position to = reduced(at, y.shape);
        const double value = read(x, at), largest = read(y, to);
        if (std::isnan(value) || value > largest) write(y, to, value);
    });
}

void NaiveBackend::matmul(const ConstView& a, const ConstView& b, const View& c) {
    const index_t m = c.shape[-2], n = c.shape[-1], k = a.shape[-1];
    const Shape batch = leading_axes(c.shape);
    const ConstView left = a.broadcast_to(batch.with_appended(m).with_appended(k));
    const ConstView right = b.broadcast_to(batch.with_appended(k).with_appended(n));
    for_each_position(batch, [&](const Position& at) {
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < n; ++j) {
                double sum = 0;
                for (index_t l = 0; l < k; ++l)
                    sum += read(left, with(at, i, l)) * read(right, with(at, l, j));
                write(c, with(at, i, j), sum);
            }
    });
}

void NaiveBackend::gather_rows(const ConstView& table, const ConstView& ids, const View& y) {
    for_each_position(ids.shape, [&](const Position& at) {
        const index_t id = static_cast<index_t>(read(ids, at));
        for (index_t j = 0; j < table.shape[1]; ++j) write(y, with(at, j), read(table, {id, j}));
    });
}

void NaiveBackend::scatter_rows(const ConstView& x, const ConstView& ids, const View& table) {
    std::vector<double> sums(static_cast<std::size_t>(table.shape.numel()), 0);
    for_each_position(ids.shape, [&](const Position& at) {
        const index_t first = static_cast<index_t>(read(ids, at)) * table.shape[1];
        for (index_t j = 0; j < table.shape[1]; ++j)
            sums[static_cast<std::size_t>(first + j)] += read(x, with(at, j));
    });
    for_each_position(table.shape, [&](const Position& at) {
        write(table, at, sums[static_cast<std::size_t>(offset(at, contiguous_strides(table.shape)))]);
    });
}

}  // namespace glassbox_test
