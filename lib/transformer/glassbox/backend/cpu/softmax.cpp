#include <algorithm>
#include <cmath>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/softmax_row.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/cpu/walk.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr Kernel softmax_of_rows = []<class Set>(Set, const real* x, real* y, index_t rows, index_t n) {
    softmax_rows<Set>(x, y, rows, n, [](index_t, const Softmax&) {});
};

// log softmax(x)_i = x_i − m − log Σ_j exp(x_j − m)
constexpr Kernel log_softmax_rows = []<class Set>(Set, const real* x, real* y, index_t rows, index_t n) {
    for (; rows > 0; --rows, x += n, y += n) {
        using V = Vector<Set>;
        const real m = largest<Set>(x, n);
        over_registers<Set>(
            n, y, [m](const V& v) { return fast_exp_below_88(V(v - m)); }, x);
        const real log_sum = std::log(lane_sum<Set>(y, n));
        over_registers<Set>(
            n, y, [m, log_sum](const V& v) { return (v - m) - log_sum; }, x);
    }
};

// dx_i = y_i (dy_i − Σ_j dy_j y_j)
constexpr Kernel softmax_backward_rows = []<class Set>(Set, const real* y, const real* dy, real* dx,
                                                       index_t rows, index_t n) {
    for (; rows > 0; --rows, y += n, dy += n, dx += n) {
        const real dot = lane_dot<Set>(dy, y, n);
        for (index_t i = 0; i < n; ++i) dx[i] = y[i] * (dy[i] - dot);
    }
};

// Calls f(first element, rows) on chunks of rows, on several threads if there are many.
template <class F>
void over_rows(const Shape& shape, F f) {
    const index_t n = shape[-1];
    if (shape.numel() == 0) return;
    const index_t rows = shape.numel() / n;
    if (shape.numel() <= sizes().piece) return f(index_t{0}, rows);
    parallel_for(rows, std::max<index_t>(1, sizes().piece / n),
                 [&](index_t begin, index_t end) { f(begin * n, end - begin); });
}

}  // namespace

void CpuBackend::softmax(const ConstView& x, const View& y) {
    std::vector<real> buffer;
    const real* p = contiguous_data(x, buffer);
    over_rows(y.shape,
              [&](index_t at, index_t rows) { softmax_of_rows(p + at, y.data + at, rows, y.shape[-1]); });
}

void CpuBackend::log_softmax(const ConstView& x, const View& y) {
    std::vector<real> buffer;
    const real* p = contiguous_data(x, buffer);
    over_rows(y.shape,
              [&](index_t at, index_t rows) { log_softmax_rows(p + at, y.data + at, rows, y.shape[-1]); });
}

void CpuBackend::softmax_backward(const ConstView& y, const ConstView& dy, const View& dx) {
    std::vector<real> buffer_y, buffer_dy;
    const real *p = contiguous_data(y, buffer_y), *q = contiguous_data(dy, buffer_dy);
    over_rows(dx.shape, [&](index_t at, index_t rows) {
        softmax_backward_rows(p + at, q + at, dx.data + at, rows, dx.shape[-1]);
    });
}

}  // namespace glassbox
