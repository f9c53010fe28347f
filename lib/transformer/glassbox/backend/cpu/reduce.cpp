#include <limits>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/walk.h>

namespace glassbox {

namespace {

// Four partial sums: the compiler may not reorder floating-point additions.
double sum_run(const real* x, index_t n, index_t step) {
    double lane[4] = {0, 0, 0, 0};
    index_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (index_t j = 0; j < 4; ++j) lane[j] += x[(i + j) * step];
    for (; i < n; ++i) lane[0] += x[i * step];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// The number of rows if the reduction is a sum of contiguous rows of y's size, else 0.
index_t rows_to_sum(const ConstView& x, const Shape& y) {
    index_t rows = 1;
    bool leading = true;
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
        leading = leading && y[axis] == 1;
        if (leading) rows *= x.shape[axis];
        else if (y[axis] != x.shape[axis]) return 0;
    }
    return x.contiguous() ? rows : 0;
}

}  // namespace

// Every output is accumulated in double, whatever the axes, so that even a long sum is accurate to the
// result's last bit.
void CpuBackend::sum(const ConstView& x, const View& y) {
    const index_t n = y.shape.numel();
    if (const index_t rows = rows_to_sum(x, y.shape); rows > 1 && n > 1)
        return column_sums<double>(rows, n, {x.data, n, 1}, y.data);
    std::vector<double> sums(static_cast<std::size_t>(n), 0);
    const Strides to = broadcast_strides(y.shape, y.strides, x.shape);
    walk<2>(x.shape, {x.strides, to}, [&](const auto& at, index_t count, const auto& step) {
        const real* p = x.data + at[0];
        double* q = sums.data() + at[1];
        if (step[1] == 0) *q += sum_run(p, count, step[0]);
        else
            for (index_t i = 0; i < count; ++i) q[i * step[1]] += p[i * step[0]];
    });
    for (std::size_t i = 0; i < sums.size(); ++i) y.data[i] = static_cast<real>(sums[i]);
}

void CpuBackend::max(const ConstView& x, const View& y) {
    fill(y, -std::numeric_limits<real>::infinity());
    const Strides to = broadcast_strides(y.shape, y.strides, x.shape);
    walk<2>(x.shape, {x.strides, to}, [&](const auto& at, index_t n, const auto& step) {
        for (index_t i = 0; i < n; ++i) {
            const real value = x.data[at[0] + i * step[0]];
            real& largest = y.data[at[1] + i * step[1]];
            if (value > largest || value != value) largest = value;  // NaN stays: no value compares greater
        }
    });
}

}  // namespace glassbox
