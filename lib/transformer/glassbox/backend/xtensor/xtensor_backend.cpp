#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/xtensor.h>

// xtensor 0.24 has this only for C++17: in C++20 an immediate reduction takes an array of any rank for one of
// rank 4.
template <>
struct xt::detail::xtype_for_shape<xt::dynamic_shape<std::size_t>> {
    template <class T, xt::layout_type layout>
    using type = xt::xarray<T, layout>;
};

// The ten required kernels as expressions of xtensor, and xtensor-blas's products, on one thread: read them
// beside the CPU's. The default implementations build all others from these ten.
namespace glassbox {
namespace {

using detail::strided;  // a view as xtensor's array with any strides, 0 where it is broadcast

// The same of numbers without gaps.
template <class Pointer>
auto row_major(Pointer data, const Shape& sizes) {
    const std::vector<std::size_t> shape(sizes.begin(), sizes.end());
    return xt::adapt(std::move(data), static_cast<std::size_t>(sizes.numel()), xt::no_ownership(), shape);
}
template <class AnyView>
auto row_major(const AnyView& x) {
    return row_major(x.data, x.shape);
}

// A view of the same numbers without gaps: itself, or a copy in `buffer`. Immediate reductions and products
// take no strides.
ConstView packed(const ConstView& x, xt::xarray<real>& buffer) {
    if (x.contiguous()) return x;
    buffer = strided(x);
    return {buffer.data(), x.shape, contiguous_strides(x.shape)};
}

std::vector<std::ptrdiff_t> integers(const ConstView& ids) {
    const xt::xarray<std::ptrdiff_t> whole = xt::cast<std::ptrdiff_t>(strided(ids));
    return {whole.begin(), whole.end()};
}

// y = the expression, element by element. If the strides of all operands are y's, xtensor runs one plain
// loop; where one has others, it steps each operand through its axes.
template <class Expression>
void assign(const View& y, const Expression& expression) {
    xt::noalias(row_major(y)) = expression;
}

// y = x reduced over the axes that have another size in y. `immediate`: a lazy reduction would step through
// all of x's axes.
template <class F, class Number>
void reduce(const ConstView& x, const View& y, F f, Number of_nothing) {
    if (x.shape.numel() == 0) return row_major(y).fill(static_cast<real>(of_nothing));
    std::vector<std::size_t> axes;
    for (int axis = 0; axis < x.shape.rank(); ++axis)
        if (x.shape[axis] != y.shape[axis]) axes.push_back(static_cast<std::size_t>(axis));
    xt::xarray<real> buffer;
    const auto v = row_major(packed(x, buffer));
    xt::noalias(row_major(y)) = xt::reduce(xt::make_xreducer_functor(f, xt::const_value<Number>(of_nothing)),
                                           v, axes, xt::keep_dims | xt::evaluation_strategy::immediate);
}

class XtensorBackend : public Backend {
  public:
    const char* name() const override { return "xtensor"; }
    Device device() const override { return Device::xtensor; }

    void copy(const ConstView& x, const View& y) override {
        if (y.contiguous()) assign(y, strided(x));
        else xt::noalias(strided(y)) = strided(x);
    }
    // An array's own fill() would write into the gaps.
    void fill(const View& y, real value) override {
        for (real& number : strided(y)) number = value;
    }

    void unary(Unary op, const ConstView& x, const View& y) override {
        const auto v = strided(x);
        switch (op) {
            case Unary::exp:
                return assign(y, xt::exp(v));
            case Unary::log:
                return assign(y, xt::log(v));
            case Unary::sin:
                return assign(y, xt::sin(v));
            case Unary::cos:
                return assign(y, xt::cos(v));
            case Unary::tanh:
                return assign(y, xt::tanh(v));
            case Unary::erf:
                return assign(y, xt::erf(v));
            case Unary::relu:
                return assign(y, xt::where(v < real(0), real(0), v));  // NaN stays NaN
            case Unary::sqrt:
                return assign(y, xt::sqrt(v));
            case Unary::negate:
                return assign(y, -v);
            case Unary::is_positive:
                return assign(y, xt::cast<real>(v > real(0)));
        }
    }

    void binary(Binary op, const ConstView& a, const ConstView& b, const View& y) override {
        const auto p = strided(a), q = strided(b);
        switch (op) {
            case Binary::add:
                return assign(y, p + q);
            case Binary::sub:
                return assign(y, p - q);
            case Binary::mul:
                return assign(y, p * q);
            case Binary::div:
                return assign(y, p / q);
        }
    }

    void masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) override {
        assign(y, xt::where(xt::equal(strided(mask), real(0)), value, strided(x)));
    }

    // Accumulated in double.
    void sum(const ConstView& x, const View& y) override { reduce(x, y, std::plus<double>(), 0.0); }

    // xt::amax would begin at the lowest finite number and pass over NaN.
    void max(const ConstView& x, const View& y) override {
        const auto larger = [](real largest, real v) { return v > largest || v != v ? v : largest; };
        reduce(x, y, larger, -std::numeric_limits<real>::infinity());
    }

    // C = A B for each matrix of the batch.
    void matmul(const ConstView& a, const ConstView& b, const View& c) override {
        const index_t m = c.shape[-2], n = c.shape[-1], k = a.shape[-1];
        if (c.shape.numel() == 0 || k == 0) return fill(c, 0);
        if (std::max({m, n, k}) > std::numeric_limits<xt::blas_index_t>::max())
            fail("matmul on device xtensor: ({}, {}) × ({}, {}): BLAS counts to 2³¹ − 1; use the cpu", m, k,
                 k, n);
        xt::xarray<real> buffer_a, buffer_b;
        const ConstView left = packed(a, buffer_a), right = packed(b, buffer_b);
        const Shape batch = c.shape.leading(c.shape.rank() - 2);
        const std::vector<index_t> at_a = matrix_offsets(left, batch), at_b = matrix_offsets(right, batch);
        const auto turn = turn_at_blas();
        real* at_c = c.data;
        for (std::size_t i = 0; i < at_a.size(); ++i, at_c += m * n) {
            const auto A = row_major(left.data + at_a[i], {m, k}),
                       B = row_major(right.data + at_b[i], {k, n});
            auto C = row_major(+at_c, {m, n});
            xt::blas::gemm(A, B, C);
        }
    }

    // Row i of y is row id_i of the table.
    void gather_rows(const ConstView& table, const ConstView& ids, const View& y) override {
        if (y.shape.numel() == 0) return;
        xt::noalias(row_major(y.data, {ids.shape.numel(), table.shape[1]})) =
            xt::view(strided(table), xt::keep(integers(ids)), xt::all());
    }

    // Row id_i of the table is added up from the rows i of x, in their order.
    void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) override {
        fill(table, 0);
        if (x.shape.numel() == 0) return;
        xt::xarray<real> buffer;
        const auto rows = row_major(packed(x, buffer).data, {ids.shape.numel(), table.shape[1]});
        auto sums = row_major(table);
        for (std::ptrdiff_t i = 0; const std::ptrdiff_t id : integers(ids))
            xt::noalias(xt::row(sums, id)) += xt::row(rows, i++);
    }
};

}  // namespace

Backend* xtensor_backend() {
    static XtensorBackend instance;
    return &instance;
}

}  // namespace glassbox
