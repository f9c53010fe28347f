#include <algorithm>
#include <cmath>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/registers.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/cpu/walk.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

// Loops, because broadcasting xtensor expressions are an order of magnitude slower, and same-shape ones are
// not compiled for several instruction sets.
constexpr Kernel exp_run = []<class Set>(Set, const real* x, real* y, index_t n) {
    over_registers<Set>(
        n, y, [](const Vector<Set>& v) { return fast_exp(v); }, x);
};
constexpr Kernel erf_run = []<class Set>(Set, const real* x, real* y, index_t n) {
    over_registers<Set>(
        n, y, [](const Vector<Set>& v) { return fast_erf(v); }, x);
};
constexpr Kernel tanh_run = []<class Set>(Set, const real* x, real* y, index_t n) {
    over_registers<Set>(
        n, y, [](const Vector<Set>& v) { return fast_tanh(v); }, x);
};

constexpr Kernel relu_run = [](auto, const real* x, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? real(0) : x[i];  // NaN stays NaN
};
constexpr Kernel masked_fill_run = [](auto, const real* x, const real* mask, real value, real* y, index_t n) {
    for (index_t i = 0; i < n; ++i) y[i] = mask[i] == 0 ? value : x[i];
};
constexpr Kernel binary_run = [](auto, Binary op, const real* p, const real* q, real* r, index_t n) {
    switch (op) {
        case Binary::add:
            for (index_t i = 0; i < n; ++i) r[i] = p[i] + q[i];
            return;
        case Binary::sub:
            for (index_t i = 0; i < n; ++i) r[i] = p[i] - q[i];
            return;
        case Binary::mul:
            for (index_t i = 0; i < n; ++i) r[i] = p[i] * q[i];
            return;
        case Binary::div:
            for (index_t i = 0; i < n; ++i) r[i] = p[i] / q[i];
            return;
    }
};

// The entries [begin, end) of one axis.
template <class AnyView>
AnyView part(AnyView x, int axis, index_t begin, index_t end) {
    x.data += begin * x.strides[static_cast<std::size_t>(axis)];
    x.shape = x.shape.with(axis, end - begin);
    return x;
}

// Splits views of one shape along the first axis with more than one entry and calls f on the corresponding
// parts, on all threads if the views are large.
template <class F, class... Views>
void in_parts(const View& y, F f, const Views&... x) {
    if (y.shape.numel() <= sizes().piece) return f(y, x...);
    int axis = 0;
    while (y.shape[axis] == 1) ++axis;
    const index_t entries = y.shape[axis],
                  grain = std::max<index_t>(1, sizes().piece / (y.shape.numel() / entries));
    parallel_for(entries, grain, [&](index_t begin, index_t end) {
        f(part(y, axis, begin, end), part(x, axis, begin, end)...);
    });
}

// A contiguous array as one axis, so that it is split evenly.
template <class AnyView>
AnyView as_row(AnyView x) {
    const Shape row{x.shape.numel()};
    return {x.data, row, contiguous_strides(row)};
}

using Run = void (*)(const real* x, real* y, index_t n);

template <class F>
void map_part(const ConstView& x, const View& y, F f) {
    walk<2>(y.shape, {x.strides, y.strides}, [&](const auto& at, index_t n, const auto& step) {
        for (index_t i = 0; i < n; ++i) y.data[at[1] + i * step[1]] = f(x.data[at[0] + i * step[0]]);
    });
}

template <class F>
void map(const ConstView& x, const View& y, F f) {
    in_parts(
        y, [f](const View& to, const ConstView& from) { map_part(from, to, f); }, x);
}

// The same with a vectorised loop for contiguous arrays.
template <class F>
void map(const ConstView& x, const View& y, Run run, F f) {
    if (!x.contiguous()) return map(x, y, f);
    in_parts(
        as_row(y),
        [run](const View& to, const ConstView& from) { run(from.data, to.data, to.shape.numel()); },
        as_row(x));
}

// r = f(p, q); run(p, q, r, n) does the same for n contiguous numbers.
template <class F, class Run2>
void map_part(const ConstView& a, const ConstView& b, const View& y, F f, Run2 run) {
    walk<3>(y.shape, {a.strides, b.strides, y.strides}, [&](const auto& at, index_t n, const auto& step) {
        const real *p = a.data + at[0], *q = b.data + at[1];
        real* r = y.data + at[2];
        if (step[0] == 1 && step[1] == 1) run(p, q, r, n);  // y is contiguous
        else if (step[0] == 1 && step[1] == 0)
            for (index_t i = 0; i < n; ++i) r[i] = f(p[i], *q);
        else
            for (index_t i = 0; i < n; ++i) r[i * step[2]] = f(p[i * step[0]], q[i * step[1]]);
    });
}

template <class F, class Run2>
void map(const ConstView& a, const ConstView& b, const View& y, F f, Run2 run) {
    const auto part_of = [&](const View& to, const ConstView& p, const ConstView& q) {
        map_part(p, q, to, f, run);
    };
    if (a.contiguous() && b.contiguous()) return in_parts(as_row(y), part_of, as_row(a), as_row(b));
    in_parts(y, part_of, a, b);
}

template <class F>
void map_binary(Binary op, const ConstView& a, const ConstView& b, const View& y, F f) {
    map(a, b, y, f, [op](const real* p, const real* q, real* r, index_t n) { binary_run(op, p, q, r, n); });
}

}  // namespace

void CpuBackend::copy(const ConstView& x, const View& y) {
    const auto copy_part = [](const View& to, const ConstView& from) {
        walk<2>(to.shape, {from.strides, to.strides}, [&](const auto& at, index_t n, const auto& step) {
            const real* p = from.data + at[0];
            real* q = to.data + at[1];
            if (step[0] == 1 && step[1] == 1) std::copy(p, p + n, q);
            else
                for (index_t i = 0; i < n; ++i) q[i * step[1]] = p[i * step[0]];
        });
    };
    in_parts(y, copy_part, x);
}

void CpuBackend::fill(const View& y, real value) {
    walk<1>(y.shape, {y.strides}, [&](const auto& at, index_t n, const auto& step) {
        for (index_t i = 0; i < n; ++i) y.data[at[0] + i * step[0]] = value;
    });
}

void CpuBackend::unary(Unary op, const ConstView& x, const View& y) {
    switch (op) {
        case Unary::exp:
            return map(x, y, exp_run, [](real v) { return fast_exp(v); });
        case Unary::log:
            return map(x, y, [](real v) { return std::log(v); });
        case Unary::sin:
            return map(x, y, [](real v) { return std::sin(v); });
        case Unary::cos:
            return map(x, y, [](real v) { return std::cos(v); });
        case Unary::erf:
            return map(x, y, erf_run, [](real v) { return fast_erf(v); });
        case Unary::tanh:
            return map(x, y, tanh_run, [](real v) { return fast_tanh(v); });
        case Unary::sqrt:
            return map(x, y, [](real v) { return std::sqrt(v); });
        case Unary::relu:
            return map(x, y, relu_run, [](real v) { return v < 0 ? real(0) : v; });
        case Unary::negate:
            return map(x, y, [](real v) { return -v; });
        case Unary::is_positive:
            return map(x, y, [](real v) { return v > 0 ? real(1) : real(0); });
    }
}

void CpuBackend::pow(const ConstView& x, double exponent, const View& y) {
    map(x, y, [exponent](real v) { return static_cast<real>(std::pow(static_cast<double>(v), exponent)); });
}

void CpuBackend::binary(Binary op, const ConstView& a, const ConstView& b, const View& y) {
    switch (op) {
        case Binary::add:
            return map_binary(op, a, b, y, [](real p, real q) { return p + q; });
        case Binary::sub:
            return map_binary(op, a, b, y, [](real p, real q) { return p - q; });
        case Binary::mul:
            return map_binary(op, a, b, y, [](real p, real q) { return p * q; });
        case Binary::div:
            return map_binary(op, a, b, y, [](real p, real q) { return p / q; });
    }
}

void CpuBackend::masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) {
    map(
        x, mask, y, [value](real v, real visible) { return visible == 0 ? value : v; },
        [value](const real* p, const real* q, real* r, index_t n) { masked_fill_run(p, q, value, r, n); });
}

}  // namespace glassbox
